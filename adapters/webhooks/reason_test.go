package webhooks_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/outbound"
	"frontdesk/adapters/webhooks"
)

// tcp listens on loopback and passes each connection to serve.
func tcp(t testing.TB, serve func(net.Conn)) (address string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { defer conn.Close(); serve(conn) })
		}
	})
	t.Cleanup(func() { _ = listener.Close(); serving.Wait() })
	return listener.Addr().String()
}

// certificate is a self-signed one for a host.
func certificate(t testing.TB, host string, notAfter time.Time) (tls.Certificate, *x509.Certificate) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: clock.Deadline(-2 * time.Hour), NotAfter: notAfter,
		DNSNames: []string{host}, IPAddresses: []net.IP{net.ParseIP(host)}, IsCA: true, BasicConstraintsValid: true,
	}
	if template.IPAddresses[0] == nil {
		template.IPAddresses = nil
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	parsed, err := x509.ParseCertificate(der)
	must(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, parsed
}

// hello serves TLS and reads a request; then answer gets the connection.
func hello(certificate tls.Certificate, answer func(net.Conn)) func(net.Conn) {
	return func(plain net.Conn) {
		conn := tls.Server(plain, &tls.Config{Certificates: []tls.Certificate{certificate}})
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, request.Body)
		answer(conn)
	}
}

func answersWith(answer string) func(net.Conn) {
	return func(conn net.Conn) { _, _ = io.WriteString(conn, answer) }
}

// hold keeps a connection open until the other end closes it.
func hold(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

func TestEachFailureHasItsReason(t *testing.T) {
	t.Parallel()
	good, goodLeaf := certificate(t, "127.0.0.1", clock.Deadline(time.Hour))
	old, oldLeaf := certificate(t, "127.0.0.1", clock.Deadline(-time.Hour))
	other, otherLeaf := certificate(t, "other.example", clock.Deadline(time.Hour))
	stranger, _ := certificate(t, "127.0.0.1", clock.Deadline(time.Hour))
	roots := x509.NewCertPool()
	for _, leaf := range []*x509.Certificate{goodLeaf, oldLeaf, otherLeaf} {
		roots.AddCert(leaf)
	}
	refused, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	_ = refused.Close()
	status := func(code int) string {
		return tcp(t, hello(good, answersWith(fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Length: 0\r\nLocation: https://127.0.0.1:1/\r\n\r\n", code))))
	}
	reset := func(conn net.Conn) {
		_ = conn.(*tls.Conn).NetConn().(*net.TCPConn).SetLinger(0)
		_ = conn.(*tls.Conn).NetConn().Close()
	}

	endings := map[string]string{
		"delivered":                 status(200),
		"delivered 204":             status(204),
		"http_3xx":                  status(302),
		"http_3xx 307":              status(307),
		"http_3xx 308":              status(308),
		"http_4xx":                  status(410),
		"http_5xx":                  status(503),
		"http_other":                status(999),
		"connection_refused":        refused.Addr().String(),
		"connection_reset":          tcp(t, hello(good, reset)),
		"connection_closed":         tcp(t, hello(good, func(net.Conn) {})),
		"connection_closed in body": tcp(t, hello(good, answersWith("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"))),
		"invalid_answer":            tcp(t, hello(good, answersWith("SSH-2.0-OpenSSH\r\n\r\n"))),
		"invalid_answer headers":    tcp(t, hello(good, answersWith("HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 64<<10)+"\r\n\r\n"))),
		"tls_expired":               tcp(t, hello(old, hold)),
		"tls_name":                  tcp(t, hello(other, hold)),
		"tls_untrusted":             tcp(t, hello(stranger, hold)),
		"tls_error":                 tcp(t, func(conn net.Conn) { _, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n"); hold(conn) }),
		"blocked_address":           "10.0.0.1",
	}
	hanging := map[string]string{
		"timeout_tls":    tcp(t, hold),
		"timeout_answer": tcp(t, hello(good, hold)),
		"timeout_body": tcp(t, hello(good, func(conn net.Conn) {
			answersWith("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nslow")(conn)
			hold(conn)
		})),
	}
	wantReasons(t, roots, endings, patience)
	wantReasons(t, roots, hanging, 4*time.Second)
}

// wantReasons sends one webhook to each address, within a time limit, and fails unless
// each ends as its name begins: with a reason, or delivered.
func wantReasons(t *testing.T, roots *x509.CertPool, addresses map[string]string, limit time.Duration) {
	t.Helper()
	c := newClinic(t)
	want := map[string]string{}
	for name, address := range addresses {
		want[c.application("https://"+address+"/").String()] = name
	}
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	client := webhooks.NewClient(loopback, roots)
	start(t, c.sender(client, func(s *webhooks.Sender) { s.Timeout = limit }))
	c.wait(settled)

	logged, err := webhooks.DeliveryLog{DB: c.pool}.List(t.Context(), webhooks.Filter{Limit: 100})
	must(t, err)
	for _, d := range logged {
		name, _, _ := strings.Cut(want[d.Application.String()], " ")
		delete(want, d.Application.String())
		got := string(d.Status)
		if d.Reason != nil {
			got = string(*d.Reason)
		}
		if got != name {
			t.Errorf("%s ended as %s", name, got)
		}
		if d.Reason != nil && d.Reason.Sentence() == "" {
			t.Errorf("nothing can be said about %s", *d.Reason)
		}
		if d.FinishedAt == nil || d.ClaimedAt == nil || d.KID == nil && got != "blocked_address" {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if len(want) > 0 {
		t.Errorf("never ended: %v", want)
	}
}

// A name is checked when it is dialled, whatever it resolves to. Resolver errors are
// classified as well.
func TestUnresolvableNames(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.application("https://localhost:1/")
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	nothingOpened := outbound.Guard{}
	start(t, c.sender(webhooks.NewClient(nothingOpened, nil), func(s *webhooks.Sender) { s.CheckURL = nothingOpened.CheckURL }))
	c.wait(settled)
	c.wantSummary("failed blocked_address 1")
}
