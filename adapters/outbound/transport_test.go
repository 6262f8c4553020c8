package outbound_test

import (
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"frontdesk/adapters/outbound"
)

func TestNoProxyIsAsked(t *testing.T) {
	t.Parallel()
	if outbound.NewTransport(outbound.Guard{}, nil).Proxy != nil {
		t.Error("the transport asks a proxy, which would be dialled instead of the address judged")
	}
}

func TestARedirectIsAnAnswerNotAnAddress(t *testing.T) {
	t.Parallel()
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)

	resp := mustGet(t, outbound.NewClient(outbound.NewTransport(outbound.Guard{Allow: loopback}, nil)), server.URL)
	if resp.StatusCode != http.StatusTemporaryRedirect || calls != 1 {
		t.Errorf("status %d after %d calls", resp.StatusCode, calls)
	}
}

func TestABodyIsNotDecompressed(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, "as sent")
	}))
	t.Cleanup(server.Close)

	resp := mustGet(t, outbound.NewClient(outbound.NewTransport(outbound.Guard{Allow: loopback}, nil)), server.URL)
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "as sent" {
		t.Errorf("body %q, %v", body, err)
	}
}

func TestOnlyGivenRootsAreTrusted(t *testing.T) {
	t.Parallel()
	var protocol string
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { protocol = r.Proto }))
	t.Cleanup(server.Close)
	guard := outbound.Guard{Allow: loopback}

	roots := x509.NewCertPool()
	if err := get(t.Context(), outbound.NewClient(outbound.NewTransport(guard, roots)), server.URL); err == nil {
		t.Error("an unknown certificate is trusted")
	}
	roots.AddCert(server.Certificate())
	mustGet(t, outbound.NewClient(outbound.NewTransport(guard, roots)), server.URL)
	if protocol != "HTTP/1.1" {
		t.Errorf("spoke %s", protocol)
	}
}

// mustGet calls url; the body is closed when the test ends.
func mustGet(t *testing.T, client *http.Client, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}
