//go:build prove

package main_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// proxy is an HAProxy, set as docs/operations.md says, and a client that trusts it.
type proxy struct {
	address string
	client  *http.Client
}

// startHAProxy runs HAProxy with the document's configuration until the test ends.
// Only the addresses and the certificate are the test's own.
func startHAProxy(t *testing.T, first, second place) proxy {
	t.Helper()
	dir, address := t.TempDir(), freeAddress(t)
	certified := httptest.NewTLSServer(http.NotFoundHandler()) // its certificate is good for *.example.com
	t.Cleanup(certified.Close)
	certificate := filepath.Join(dir, "frontdesk.pem")
	writeFile(t, certificate, pemOf(t, certified))
	settings := filepath.Join(dir, "haproxy.cfg")
	writeFile(t, settings, replaced(t, documented(t, "### HAProxy"),
		":443 ssl crt /etc/ssl/frontdesk.pem", address+" ssl crt "+certificate,
		"127.0.0.1:8081 check port 9091", first.public+" check port "+portOf(t, first.private),
		"127.0.0.1:8082 check port 9092", second.public+" check port "+portOf(t, second.private)))
	runHAProxy(t, settings)
	waitFor(t, func() bool { return listens(address) })
	client := certified.Client()
	transport := client.Transport.(*http.Transport)
	transport.MaxIdleConnsPerHost = proxyClients
	transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", address)
	}
	return proxy{address, client}
}

func runHAProxy(t *testing.T, settings string) {
	t.Helper()
	path, err := exec.LookPath("haproxy")
	if err != nil {
		path = "/usr/sbin/haproxy" // Debian's, which is in the path of root alone
	}
	var said bytes.Buffer
	haproxy := exec.CommandContext(context.WithoutCancel(t.Context()), path, "-db", "-f", settings)
	haproxy.Stdout, haproxy.Stderr = &said, &said
	if err := haproxy.Start(); err != nil {
		t.Fatalf("start HAProxy, Debian's package haproxy: %v", err)
	}
	t.Cleanup(func() {
		_ = haproxy.Process.Signal(syscall.SIGTERM)
		_ = haproxy.Wait()
		if t.Failed() {
			t.Logf("HAProxy said:\n%s", &said)
		}
	})
}

// documented is the first block of a section of docs/operations.md.
func documented(t *testing.T, section string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(page), section+"\n")
	blocks := strings.SplitN(after, "```", 3)
	if !found || len(blocks) < 3 {
		t.Fatalf("docs/operations.md has no block below %q", section)
	}
	return blocks[1]
}

// replaced puts the second of each pair where the first stood, once.
func replaced(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(text, pairs[i]) != 1 {
			t.Fatalf("the document's configuration does not say %q once", pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// pemOf is the certificate of a test server, and its key.
func pemOf(t *testing.T, server *httptest.Server) string {
	t.Helper()
	certificate := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})) +
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
}

func portOf(t *testing.T, address string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func (p proxy) url(tenant, path string) string {
	return fmt.Sprintf("https://%s.example.com%s", tenant, path)
}

func listens(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}
