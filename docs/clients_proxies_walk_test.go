//go:build walk

package docs_test

import (
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// A tunneller is a proxy that connects all calls to one service, and records the requested hosts.
type tunneller struct {
	*httptest.Server
	service string // its host and port

	mu   sync.Mutex
	seen []string // the name that was asked for, and the password
}

func newTunneller(t *testing.T, service string) *tunneller {
	t.Helper()
	p := &tunneller{service: service}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *tunneller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.seen = append(p.seen, r.Method+" "+r.Host+" "+r.Header.Get("Proxy-Authorization"))
	p.mu.Unlock()
	to, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", p.service)
	if err != nil || r.Method != http.MethodConnect {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer to.Close()
	w.WriteHeader(http.StatusOK)
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	go func() {
		_, _ = io.Copy(to, buffered)
		_ = to.Close()
	}()
	_, _ = io.Copy(conn, to)
}

// Calls go through a proxy of the environment or of an option, encrypted, to a service whose
// certificate only the caller trusts.
func TestWalkClientsUseTheProxy_D159(t *testing.T) {
	t.Parallel()
	_, info := aSandbox(t)
	api, err := url.Parse(info.APIURL)
	if err != nil {
		t.Fatal(err)
	}
	service := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(api) }})
	t.Cleanup(service.Close)
	ca := writeFile(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: service.Certificate().Raw})))
	inEveryLanguage(t, func(t *testing.T, c clientPackage) {
		for _, setting := range []string{"HTTPS_PROXY", "FRONTDESK_PROXY"} {
			proxy := newTunneller(t, service.Listener.Addr().String())
			d := c.drive(t, "call", "FRONTDESK_API=https://elm-street.example.com", "FRONTDESK_APPLICATION="+info.Application.ID,
				"FRONTDESK_KID="+info.Application.KID, "FRONTDESK_KEY="+info.Application.PrivateKeyFile,
				"FRONTDESK_CA="+ca, setting+"="+strings.Replace(proxy.URL, "http://", "http://me:secret@", 1))
			for range 2 {
				if pong := d.must(order{Do: "ping"}).OK; pong["tenantId"] != info.TenantID {
					t.Errorf("by %s: %v", setting, pong)
				}
			}
			proxy.mu.Lock()
			if len(proxy.seen) != 1 || proxy.seen[0] != "CONNECT elm-street.example.com:443 Basic bWU6c2VjcmV0" {
				t.Errorf("by %s the proxy is asked for %q", setting, proxy.seen)
			}
			proxy.mu.Unlock()
		}
	})
}
