package broker_test

import (
	"bytes"
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

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"golang.org/x/crypto/bcrypt"

	"frontdesk/adapters/clock"
)

// documented is the servers of docs/operate/nats.conf, in this process. Only
// addresses, paths and passwords differ.
type documented struct {
	t       *testing.T
	dir     string
	servers []*natsserver.Server
}

// users of the documented servers; the password of each is its name.
var users = []string{"relay", "administrator", "system", "elm-street", "everything", "operator"}

// newDocumented starts one server, or three.
func newDocumented(t *testing.T, count int) *documented {
	t.Helper()
	d := &documented{t: t, dir: t.TempDir()}
	d.certificate()
	d.write("nats-followers.conf", document(t, "nats-followers.conf"))
	var routes [3]string
	for n := range routes {
		routes[n] = freeAddress(t)
	}
	for n := range count {
		d.servers = append(d.servers, d.start(d.configured(n, count, routes)))
	}
	t.Cleanup(d.stop)
	return d
}

func (d *documented) stop() {
	for _, s := range d.servers {
		s.Shutdown()
		s.WaitForShutdown()
	}
}

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/operate/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// write writes a file of configuration, with hashes in it.
func (d *documented) write(name, text string) string {
	d.t.Helper()
	for _, user := range append([]string{theirs}, users...) {
		text = strings.ReplaceAll(text, "$FRONTDESK_NATS_"+strings.ToUpper(strings.ReplaceAll(user, "-", "_"))+"_HASH", `"`+hash(d.t, user)+`"`)
	}
	return d.plain(name, text)
}

func (d *documented) plain(name, text string) string {
	d.t.Helper()
	path := filepath.Join(d.dir, name)
	d.must(os.WriteFile(path, []byte(text), 0o600))
	return path
}

func hash(t *testing.T, password string) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return string(hash)
}

func (d *documented) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// configured writes the configuration of a server.
func (d *documented) configured(n, count int, routes [3]string) string {
	d.t.Helper()
	name := fmt.Sprintf("nats-%d", n+1)
	text := document(d.t, "nats.conf")
	if count == 1 {
		text = d.alone(text)
	} else {
		for n, route := range routes {
			text = d.replaced(text, fmt.Sprintf("tls://nats-%d:6222", n+1), "tls://"+route)
		}
		text = d.replaced(text, "0.0.0.0:6222", routes[n])
	}
	text = d.replaced(text, "$FRONTDESK_NATS_SERVER", name)
	return d.write(name+".conf", d.placed(text, filepath.Join(d.dir, name)))
}

// alone leaves out the other servers.
func (d *documented) alone(text string) string {
	d.t.Helper()
	before, others, found := strings.Cut(text, "cluster {")
	_, after, ends := strings.Cut(others, "jetstream {")
	if !found || !ends {
		d.t.Fatal("nats.conf does not have the block jetstream behind the block cluster")
	}
	return before + "jetstream {" + after
}

// placed changes addresses, storage and certificate paths to those of a test.
func (d *documented) placed(text, store string) string {
	d.t.Helper()
	for old, is := range map[string]string{
		"0.0.0.0:4222": "127.0.0.1:-1", "127.0.0.1:8222": "127.0.0.1:-1", "/etc/nats/tls": d.dir, "/var/lib/nats": store,
	} {
		text = d.replaced(text, old, is)
	}
	return text
}

func (d *documented) replaced(text, old, is string) string {
	d.t.Helper()
	if !strings.Contains(text, old) {
		d.t.Fatalf("nats.conf does not say %s", old)
	}
	return strings.ReplaceAll(text, old, is)
}

func (d *documented) start(path string) *natsserver.Server {
	d.t.Helper()
	options, err := natsserver.ProcessConfigFile(path)
	d.must(err)
	options.NoSigs = true
	s, err := natsserver.NewServer(options)
	d.must(err)
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		d.t.Fatal("the server does not start")
	}
	return s
}

// connect connects as a user to one of the servers.
func (d *documented) connect(user string, options ...nats.Option) *nats.Conn {
	d.t.Helper()
	conn, err := d.dial(user, options...)
	d.must(err)
	d.t.Cleanup(conn.Close)
	return conn
}

func (d *documented) dial(user string, options ...nats.Option) (*nats.Conn, error) {
	at := d.servers[len(user)%len(d.servers)].ClientURL()
	return nats.Connect(at, append(options, nats.Timeout(time.Minute), nats.UserInfo(user, user), nats.RootCAs(filepath.Join(d.dir, "ca.pem")))...)
}

// certificate writes an authority, and a certificate of its that every server shows.
func (d *documented) certificate() {
	d.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	d.must(err)
	is := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nats"}, NotBefore: clock.Deadline(-time.Hour), NotAfter: clock.Deadline(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	signed, err := x509.CreateCertificate(rand.Reader, is, is, key.Public(), key)
	d.must(err)
	private, err := x509.MarshalECPrivateKey(key)
	d.must(err)
	for name, block := range map[string]*pem.Block{
		"ca.pem": {Type: "CERTIFICATE", Bytes: signed}, "server.pem": {Type: "CERTIFICATE", Bytes: signed}, "server-key.pem": {Type: "EC PRIVATE KEY", Bytes: private},
	} {
		var text bytes.Buffer
		d.must(pem.Encode(&text, block))
		d.must(os.WriteFile(filepath.Join(d.dir, name), text.Bytes(), 0o600))
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
