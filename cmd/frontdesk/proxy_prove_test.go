//go:build prove

package main_test

import (
	"bytes"
	"context"
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

// proxy is an HAProxy, set by docs/operations/haproxy.cfg, and a client that trusts it.
type proxy struct {
	address string
	client  *http.Client
}

// startHAProxy runs HAProxy with the operators' configuration until the test ends.
// Only the addresses and the certificate are the test's own.
func startHAProxy(t *testing.T, first, second place) proxy {
	t.Helper()
	dir, address := t.TempDir(), freeAddress(t)
	certified := httptest.NewTLSServer(http.NotFoundHandler()) // its certificate is good for *.example.com
	t.Cleanup(certified.Close)
	certificate := filepath.Join(dir, "frontdesk.pem")
	writeFile(t, certificate, pemOf(t, certified))
	settings := filepath.Join(dir, "haproxy.cfg")
	writeFile(t, settings, replaced(t, operations(t, "haproxy.cfg"),
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
	untilTheEnd(t, exec.CommandContext(context.WithoutCancel(t.Context()), haproxyOf(), "-db", "-f", settings))
}

// haproxyOf is Debian's HAProxy, which may be in the path of root alone.
func haproxyOf() string {
	path, err := exec.LookPath("haproxy")
	if err != nil {
		return "/usr/sbin/haproxy"
	}
	return path
}

// untilTheEnd runs a program until the test ends.
func untilTheEnd(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", cmd, err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s said:\n%s", cmd, &said)
		}
	})
}

// operations is a file that operators are given.
func operations(t *testing.T, name string) string {
	t.Helper()
	file, err := os.ReadFile("../../docs/operations/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(file)
}

// replaced puts the second of each pair where the first stood, once.
func replaced(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(text, pairs[i]) != 1 {
			t.Fatalf("the operators' configuration does not say %q once", pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// pemOf is the certificate of a test server, and its key.
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
