//go:build prove

package main_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"frontdesk/adapters/clock"
)

// drillAuthority issues certificates for the names of a drill.
type drillAuthority struct {
	t    *testing.T
	file string // its certificate
	pool *x509.CertPool
	key  *ecdsa.PrivateKey
	self *x509.Certificate
}

func newDrillAuthority(t *testing.T, file string) *drillAuthority {
	t.Helper()
	a := &drillAuthority{t: t, file: file, pool: x509.NewCertPool()}
	a.key, a.self = newKey(t), &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "drill"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		NotBefore: clock.System().AddDate(-1, 0, 0), NotAfter: clock.System().AddDate(1, 0, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, a.self, a.self, a.key.Public(), a.key)
	must(t, err)
	a.self, err = x509.ParseCertificate(der)
	must(t, err)
	a.pool.AddCert(a.self)
	writeFile(t, file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	return key
}

// issue returns a certificate that ends at an instant, and its key.
func (a *drillAuthority) issue(ends time.Time) string {
	a.t.Helper()
	key := newKey(a.t)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(ends.Unix()), Subject: pkix.Name{CommonName: "example.com"}, NotBefore: a.self.NotBefore, NotAfter: ends,
		DNSNames: []string{"example.com", "*.example.com"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, a.self, key.Public(), a.key)
	must(a.t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	must(a.t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})) + string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
}

// hookReceiver is a receiver of webhooks that keeps its address while it is away.
type hookReceiver struct {
	t       *testing.T
	address string
	serves  *tls.Config
	running *httptest.Server
}

func newHookReceiver(t *testing.T, trusted *drillAuthority) *hookReceiver {
	t.Helper()
	pair := trusted.issue(trusted.self.NotAfter)
	certificate, err := tls.X509KeyPair([]byte(pair), []byte(pair))
	must(t, err)
	r := &hookReceiver{t: t, address: drillAddress(t), serves: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}}
	r.start()
	t.Cleanup(func() { r.running.Close() })
	return r
}

func (r *hookReceiver) start() {
	r.t.Helper()
	listener, err := net.Listen("tcp", r.address)
	must(r.t, err)
	r.running = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	_ = r.running.Listener.Close()
	r.running.Listener, r.running.TLS = listener, r.serves
	r.running.StartTLS()
}
