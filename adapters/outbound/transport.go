package outbound

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"time"
)

// Settings that key sets and webhooks share. They are short because whoever
// waits at the other end of them is a call or a lane of deliveries.
const (
	dialTimeout     = 5 * time.Second
	idleTimeout     = 4 * time.Second // below the keep-alive of usual receivers
	maxHeaderBytes  = 16 << 10
	maxIdlePerHost  = 2
	maxIdleOverHost = 128
)

// NewTransport is a transport that connects only where guard lets it, whatever
// a name resolves to. Servers must be trusted by roots, or by the system's
// when nil.
//
// It speaks HTTP/1.1 only, asks no proxy, decompresses nothing and reads at
// most 16 KiB of headers. The caller may set other fields of it, except the
// two dialling functions, which are the guard.
func NewTransport(guard Guard, roots *x509.CertPool) *http.Transport {
	return newTransport(guard, roots, nil)
}

// newTransport takes the resolver too, so that a test can play a hostile one.
func newTransport(guard Guard, roots *x509.CertPool, resolver *net.Resolver) *http.Transport {
	plain := &net.Dialer{Timeout: dialTimeout, Resolver: resolver, Control: control(guard.checkOpened)}
	secure := &tls.Dialer{
		NetDialer: &net.Dialer{Timeout: dialTimeout, Resolver: resolver, Control: control(guard.CheckAddr)},
		Config:    &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            plain.DialContext,  // http
		DialTLSContext:         secure.DialContext, // https, handshake included
		Protocols:              onlyHTTP1(),
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConns:           maxIdleOverHost,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		IdleConnTimeout:        idleTimeout,
	}
}

// onlyHTTP1 keeps Go's client from sending a request a second time, as
// HTTP/2 allows it to.
func onlyHTTP1() *http.Protocols {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &protocols
}

// NewClient is a client over transport that follows no redirect and keeps no
// cookies. Its calls are bounded by their contexts alone.
func NewClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
