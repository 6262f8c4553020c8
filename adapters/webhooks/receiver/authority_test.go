package receiver_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"path/filepath"
	"testing"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/webhooks/receiver"
)

func TestAuthorityIssuesOnlyForLoopback(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	authority, err := receiver.OpenAuthority(dir, clock.System())
	if err != nil {
		t.Fatal(err)
	}
	again, err := receiver.OpenAuthority(dir, clock.System())
	if err != nil || !bytes.Equal(again.PEM(), authority.PEM()) {
		t.Errorf("opened again it is another one: %v", err)
	}
	server, err := receiver.Listen(t.Context(), "127.0.0.1:0", again, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), clock.System())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.PEM())
	get := func(name string) error {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: name}}
		defer transport.CloseIdleConnections()
		response, err := (&http.Client{Transport: transport}).Get(server.URL())
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, response.Body)
		return response.Body.Close()
	}
	for name, trusted := range map[string]bool{"127.0.0.1": true, "localhost": true, "app.example": false} {
		if err := get(name); (err == nil) != trusted {
			t.Errorf("%s: %v", name, err)
		}
	}
}
