//go:build prove

package main_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"frontdesk/adapters/clock"
)

// natsUsers are who may connect to the servers, by their passwords, and the certificate that
// they are shown.
type natsUsers struct {
	dir         string
	passwords   map[string]string
	certificate string // file
	environment []string
}

func newNATSUsers(t *testing.T, dir string) natsUsers {
	t.Helper()
	u := natsUsers{dir: dir, passwords: map[string]string{}, certificate: filepath.Join(dir, "ca.pem")}
	for _, name := range []string{"relay", "administrator", "system", "elm-street", "everything", "operator"} {
		u.passwords[name] = rand.Text()
		hash, err := bcrypt.GenerateFromPassword([]byte(u.passwords[name]), bcrypt.MinCost)
		if err != nil {
			t.Fatal(err)
		}
		u.environment = append(u.environment, "FRONTDESK_NATS_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))+"_HASH="+string(hash))
	}
	u.certify(t)
	return u
}

// certify makes the one certificate of all three. It is self-signed, and servers also present
// it to each other.
func (u natsUsers) certify(t *testing.T) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nats"}, NotBefore: clock.System().Add(-time.Hour), NotAfter: clock.System().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	shown := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}))
	writeFile(t, u.certificate, shown)
	writeFile(t, filepath.Join(u.dir, "server.pem"), shown)
	writeFile(t, filepath.Join(u.dir, "server-key.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
}

// configure writes a server's configuration: the document's, with addresses and places of
// its own.
func (u natsUsers) configure(t *testing.T, s *natsServer, routes []string, n int) {
	t.Helper()
	documents := os.DirFS("../../docs/operate")
	settings, err := fs.ReadFile(documents, "nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	followers, err := fs.ReadFile(documents, "nats-followers.conf")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(u.dir, "nats-followers.conf"), string(followers))
	pairs := []string{
		"0.0.0.0:4222", s.address, "127.0.0.1:8222", freeAddress(t), "0.0.0.0:6222", routes[n],
		"/var/lib/nats", filepath.Join(u.dir, s.name),
	}
	for n, route := range routes {
		pairs = append(pairs, fmt.Sprintf("tls://nats-%d:6222", n+1), "tls://"+route)
	}
	s.config = filepath.Join(u.dir, s.name+".conf")
	writeFile(t, s.config, strings.ReplaceAll(replaced(t, string(settings), pairs...), "/etc/nats/tls/", u.dir+"/"))
}
