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

	"frontdesk/docs"
)

// proxy is one that is configured by docs/operate, and a client that trusts it.
type proxy struct {
	address     string
	client      *http.Client
	certificate string    // the file of it and its key
	process     *exec.Cmd // of HAProxy
}

// startHAProxy runs HAProxy with the operators' configuration until the test ends.
// Only the addresses and the certificate are the test's own.
func startHAProxy(t *testing.T, first, second place) proxy {
	t.Helper()
	p := newProxy(t)
	settings := filepath.Join(t.TempDir(), "haproxy.cfg")
	text := replaced(t, operations(t, "haproxy.cfg"), ":443 ssl crt /etc/ssl/frontdesk.pem", p.address+" ssl crt "+p.certificate, "127.0.0.1:8405", freeAddress(t), "bind :80", "bind "+freeAddress(t))
	writeFile(t, settings, replicasIn(t, text, first, second))
	p.process = runHAProxy(t, settings)
	waitFor(t, func() bool { return listens(p.address) })
	return p
}

// replicasIn names two processes in the operators' configuration of HAProxy.
func replicasIn(t *testing.T, text string, first, second place) string {
	t.Helper()
	return strings.NewReplacer("127.0.0.1:8080", first.public, "127.0.0.1:8081", second.public,
		"check port 9090", "check port "+portOf(t, first.private), "check port 9081", "check port "+portOf(t, second.private)).Replace(text)
}

// startNginx does the same with nginx, whose lines are included in Debian's configuration.
func startNginx(t *testing.T, first, second place) proxy {
	t.Helper()
	p := newProxy(t)
	dir := t.TempDir()
	settings := filepath.Join(dir, "nginx.conf")
	writeFile(t, settings, fmt.Sprintf("daemon off;\nuser root;\nworker_processes auto;\npid %s/pid;\nerror_log stderr;\nevents {}\nhttp {\n%s}\n", dir,
		replaced(t, docs.OperatorsBlocks(t, "operate/proxies.md", "nginx", "nginx")[0],
			"listen 443 ssl", "listen "+p.address+" ssl", "/etc/ssl/frontdesk.pem", p.certificate, "/etc/ssl/frontdesk.key", p.certificate,
			"server_name *.api.example.org auth.example.org", "server_name _",
			"127.0.0.1:8080 max_fails=0", first.public+" max_fails=0", "127.0.0.1:8081 max_fails=0", second.public+" max_fails=0")))
	untilTheEnd(t, exec.CommandContext(context.WithoutCancel(t.Context()), rootsOwn("nginx"), "-p", dir, "-c", settings))
	waitFor(t, func() bool { return listens(p.address) })
	return p
}

// newProxy has an address, and a file with a certificate and its key.
func newProxy(t *testing.T) proxy {
	t.Helper()
	certified := httptest.NewTLSServer(http.NotFoundHandler()) // its certificate is good for *.example.com
	t.Cleanup(certified.Close)
	p := proxy{address: freeAddress(t), client: certified.Client(), certificate: filepath.Join(t.TempDir(), "frontdesk.pem")}
	writeFile(t, p.certificate, pemOf(t, certified))
	transport := p.client.Transport.(*http.Transport)
	transport.MaxIdleConnsPerHost = proxyClients
	transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", p.address)
	}
	return p
}

// runHAProxy starts HAProxy, which reads its files again on SIGUSR2, as Debian's does.
func runHAProxy(t *testing.T, settings string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), rootsOwn("haproxy"), "-W", "-db", "-f", settings)
	untilTheEnd(t, cmd)
	return cmd
}

// rootsOwn is a program of Debian's that may be only in root's path.
func rootsOwn(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return "/usr/sbin/" + name
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
	file, err := os.ReadFile("../../docs/operate/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(file)
}

// replaced replaces the first of each pair by the second, once.
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
