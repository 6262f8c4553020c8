package outbound

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"time"
)

// Settings shared by key sets and webhooks. The times are short because a call or a
// lane of deliveries waits for them.
const (
	dialTimeout     = 5 * time.Second
	idleTimeout     = 4 * time.Second // below the keep-alive of typical receivers
	maxHeaderBytes  = 16 << 10
	maxIdlePerHost  = 2
	maxIdleOverHost = 128
)

// NewTransport makes a transport that connects only to addresses that the guard
// allows, whatever a name resolves to. It trusts servers by roots, or by the
// system's certificates if roots is nil.
//
// It speaks HTTP/1.1 only, uses no proxy, decompresses nothing and reads at most
// 16 KiB of headers. The caller may change its other fields, but not the two
// dialling functions, because they are the guard.
func NewTransport(guard Guard, roots *x509.CertPool) *http.Transport {
	return newTransport(guard, roots, nil)
}

// newTransport also takes the resolver, so that a test can provide a hostile one.
func newTransport(guard Guard, roots *x509.CertPool, resolver *net.Resolver) *http.Transport {
	plain := &net.Dialer{Timeout: dialTimeout, Resolver: resolver, Control: control(guard.checkOpened)}
	secure := &tls.Dialer{
		NetDialer: &net.Dialer{Timeout: dialTimeout, Resolver: resolver, Control: control(guard.CheckAddr)},
		Config:    &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            plain.DialContext,  // http
		DialTLSContext:         secure.DialContext, // https, including the handshake
		Protocols:              onlyHTTP1(),
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConns:           maxIdleOverHost,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		IdleConnTimeout:        idleTimeout,
	}
}

// onlyHTTP1 prevents Go's client from retrying a request, as HTTP/2 allows it to.
func onlyHTTP1() *http.Protocols {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &protocols
}

// NewClient makes a client without redirects and cookies. Its calls are limited only by
// their contexts.
func NewClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
