package receiver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Authority is a private certification authority, limited to loopback addresses: a
// client that trusts it accepts it for nothing else.
type Authority struct {
	File        string // its certificate (PEM), for clients to trust
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

const (
	authorityFile    = "webhook-ca.pem"
	authorityKeyFile = "webhook-ca-key.pem"
	validFor         = 10 * 365 * 24 * time.Hour
)

// OpenAuthority reads the authority that is kept in dir, or makes one.
func OpenAuthority(dir string, now time.Time) (*Authority, error) {
	file, keyFile := filepath.Join(dir, authorityFile), filepath.Join(dir, authorityKeyFile)
	authority, err := readAuthority(file, keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		authority, err = makeAuthority(file, keyFile, now)
	}
	if err != nil {
		return nil, fmt.Errorf("open certification authority in %s: %w", dir, err)
	}
	return authority, nil
}

func readAuthority(file, keyFile string) (*Authority, error) {
	pair, err := tls.LoadX509KeyPair(file, keyFile)
	if err != nil {
		return nil, err
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return nil, errors.New("its key is of another kind")
	}
	return &Authority{file, pair.Leaf, key}, nil
}

func makeAuthority(file, keyFile string, now time.Time) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := authorityTemplate(now)
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	// The certificate is written last: if it is there, the authority is
	// complete.
	err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o700),
		writePEM(keyFile, "PRIVATE KEY", private, 0o600), writePEM(file, "CERTIFICATE", der, 0o644))
	if err != nil {
		return nil, err
	}
	return readAuthority(file, keyFile)
}

// authorityTemplate is a certificate that vouches for loopback only.
func authorityTemplate(now time.Time) *x509.Certificate {
	_, v4, _ := net.ParseCIDR("127.0.0.0/8")
	_, v6, _ := net.ParseCIDR("::1/128")
	template := templateFor("frontdesk sandbox webhooks", now)
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	template.PermittedDNSDomainsCritical = true
	template.PermittedDNSDomains, template.PermittedIPRanges = []string{"localhost"}, []*net.IPNet{v4, v6}
	return template
}

func templateFor(name string, now time.Time) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)) // never fails
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(validFor),
	}
}

func writePEM(file, kind string, der []byte, mode os.FileMode) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode)
}

// PEM is the certificate of the authority.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// Certificate issues a server's certificate for loopback.
func (a *Authority) Certificate(now time.Time) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make certificate: %w", err)
	}
	template := templateFor("localhost", now)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.DNSNames, template.IPAddresses = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der, a.certificate.Raw}, PrivateKey: key}, nil
}
