package outbound

import (
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
)

// DNS rebinding: the resolver's answer changes between the check and the call. Here
// 127.0.0.1 plays the public address and 127.0.0.2 the internal one.
func TestRebindingReachesNoClosedAddress(t *testing.T) {
	t.Parallel()
	net := newTwoHosts(t)

	net.dns.answer.Store(&[]string{"127.0.0.1"})
	if err := net.call(t); err != nil {
		t.Fatalf("the open address: %v", err)
	}
	net.dns.answer.Store(&[]string{"127.0.0.2"})
	if err := net.call(t); !errors.Is(err, ErrBlocked) {
		t.Errorf("the changed answer: %v", err)
	}
	if open, closed := net.open.Load(), net.closed.Load(); open != 1 || closed != 0 {
		t.Errorf("calls: %d to the open address, %d to the closed one", open, closed)
	}
}

func TestOnlyOpenAddressesAreDialled(t *testing.T) {
	t.Parallel()
	net := newTwoHosts(t)

	net.dns.answer.Store(&[]string{"127.0.0.2", "127.0.0.1"})
	if err := net.call(t); err != nil {
		t.Fatalf("an open address among the answers: %v", err)
	}
	if open, closed := net.open.Load(), net.closed.Load(); open != 1 || closed != 0 {
		t.Errorf("calls: %d to the open address, %d to the closed one", open, closed)
	}
}

// twoHosts is one port on two addresses, one of them opened, and a client that resolves
// names by dns.
type twoHosts struct {
	dns          fakeDNS
	client       *http.Client
	url          string
	open, closed atomic.Int64
}

func newTwoHosts(t *testing.T) *twoHosts {
	t.Helper()
	h := &twoHosts{}
	open := serve(t, "127.0.0.1:0", &h.open)
	_, port, _ := net.SplitHostPort(open.Listener.Addr().String())
	serve(t, "127.0.0.2:"+port, &h.closed)

	roots := x509.NewCertPool()
	roots.AddCert(open.Certificate())
	guard := Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	transport := newTransport(guard, roots, h.dns.resolver())
	transport.DisableKeepAlives = true
	h.client, h.url = NewClient(transport), "https://example.com:"+port
	return h
}

// serve counts its calls; its certificate is for example.com.
func serve(t *testing.T, address string, calls *atomic.Int64) *httptest.Server {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	server.Listener.Close()
	server.Listener = listener
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func (h *twoHosts) call(t *testing.T) error {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := h.client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
