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
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
)

// natsKeys are who may connect to the servers, and the certificate that they show.
type natsKeys struct {
	dir         string
	relay       string // file of the seed of who fills the streams
	certificate string // file
	environment []string
}

func newNATSKeys(t *testing.T, dir string) natsKeys {
	t.Helper()
	k := natsKeys{dir: dir, relay: filepath.Join(dir, "relay.seed"), certificate: filepath.Join(dir, "server.pem")}
	for _, name := range []string{"FRONTDESK_NATS_RELAY", "FRONTDESK_NATS_SYSTEM"} {
		pair, err := nkeys.CreateUser()
		if err != nil {
			t.Fatal(err)
		}
		public, err := pair.PublicKey()
		if err != nil {
			t.Fatal(err)
		}
		k.environment = append(k.environment, name+"="+public)
		if name == "FRONTDESK_NATS_RELAY" {
			seed, _ := pair.Seed() // never fails
			writeFile(t, k.relay, string(seed))
		}
	}
	k.certify(t)
	return k
}

// certify makes the one certificate of all three. It vouches for itself, and servers show it to
// each other, too.
func (k natsKeys) certify(t *testing.T) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nats"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
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
	writeFile(t, k.certificate, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})))
	writeFile(t, filepath.Join(k.dir, "server-key.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	writeFile(t, filepath.Join(k.dir, "ca.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})))
}

// configure writes a server's configuration: the document's, with addresses and places of
// its own.
func (k natsKeys) configure(t *testing.T, s *natsServer, routes []string, n int) {
	t.Helper()
	documented, err := os.ReadFile("../../docs/operations/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	pairs := []string{
		"0.0.0.0:4222", s.address, "127.0.0.1:8222", freeAddress(t), "0.0.0.0:6222", routes[n],
		"/var/lib/nats", filepath.Join(k.dir, s.name),
	}
	for n, route := range routes {
		pairs = append(pairs, fmt.Sprintf("tls://nats-%d:6222", n+1), "tls://"+route)
	}
	s.config = filepath.Join(k.dir, s.name+".conf")
	writeFile(t, s.config, strings.ReplaceAll(replaced(t, string(documented), pairs...), "/etc/nats/tls/", k.dir+"/"))
}
