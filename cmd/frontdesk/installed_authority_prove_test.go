//go:build prove

package main_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"frontdesk/docs"
)

// The addresses of the page, which are the world's own: of the DNS server, and of the machine.
const (
	standInDNS = "192.0.2.53"
	theMachine = "192.0.2.10"
)

// authority is a second machine: the DNS server of the page's domain, which takes updates with
// the page's key, and a certificate authority that validates by it. Both are Debian's.
type authority struct {
	*installed
	client *http.Client // knows the authority, and reaches the machine by any name
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	for _, address := range []string{standInDNS, theMachine} {
		if said, err := exec.CommandContext(t.Context(), "ip", "address", "add", address+"/32", "dev", "lo").CombinedOutput(); err != nil {
			t.Fatalf("take %s: %v: %s", address, err, said)
		}
	}
	a := authority{newInstalled(t, "authority"), nil}
	secret := regexp.MustCompile(`dns_rfc2136_secret = (\S+)`).FindStringSubmatch(docs.OperatorsBlocks(t, debianPage, "Get a certificate", "sh")[0])
	a.do(strings.ReplaceAll(theAuthority, "SECRET", secret[1]))
	root := a.do("until curl --silent --fail --cacert ca.pem https://localhost:15000/roots/0; do sleep 1; done")
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM([]byte(root)) {
		t.Fatalf("the authority is\n%s", root)
	}
	jar, err := cookiejar.New(nil)
	must(t, err)
	a.client = &http.Client{Jar: jar, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort(theMachine, "443"))
		},
	}}
	return a
}

const theAuthority = `DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends bind9 pebble openssl curl
cat > /etc/bind/named.conf <<'END'
options { directory "/var/cache/bind"; recursion no; dnssec-validation no; };
key "frontdesk." { algorithm hmac-sha256; secret "SECRET"; };
zone "example.org" {
	type primary;
	file "/var/cache/bind/example.org";
	update-policy { grant frontdesk. subdomain _acme-challenge.auth.example.org. TXT; grant frontdesk. subdomain _acme-challenge.api.example.org. TXT; };
};
END
cat > /var/cache/bind/example.org <<'END'
$TTL 60
@ SOA ns hostmaster 1 3600 600 86400 60
@ NS ns
ns A 192.0.2.53
auth A 192.0.2.10
*.api A 192.0.2.10
END
chown bind /var/cache/bind/example.org
systemctl restart named
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj '/CN=A local authority'
openssl req -newkey rsa:2048 -nodes -keyout key.pem -subj /CN=localhost |
	openssl x509 -req -days 30 -CA ca.pem -CAkey ca.key -CAcreateserial -extfile <(echo subjectAltName=DNS:localhost) -out cert.pem
cat > config.json <<'END'
{"pebble": {"listenAddress": "127.0.0.1:14000", "managementListenAddress": "127.0.0.1:15000", "certificate": "/root/cert.pem",
	"privateKey": "/root/key.pem", "httpPort": 5002, "tlsPort": 5001, "certificateValidityPeriod": 7776000}}
END
systemd-run --unit=pebble --setenv=PEBBLE_VA_NOSLEEP=1 --setenv=PEBBLE_WFE_NONCEREJECT=0 pebble -config /root/config.json -dnsserver 127.0.0.1:53
`

// isTrustedBy has a machine know the authority, as every Debian knows the public ones, and
// certbot ask it.
func (a authority) isTrustedBy(m *installed) {
	a.t.Helper()
	file := filepath.Join(os.Getenv(containersDir), "authority.pem")
	a.podman("cp", a.name+":/root/ca.pem", file)
	a.podman("cp", file, m.name+":/usr/local/share/ca-certificates/authority.crt")
	m.do(`update-ca-certificates
curl --silent --fail https://localhost:15000/roots/0 > /usr/local/share/ca-certificates/root.crt
update-ca-certificates
echo 'server = https://localhost:14000/dir' > /etc/letsencrypt/cli.ini`)
}

var invited = regexp.MustCompile(`link: (\S+)`)

// opens opens the link of an invitation, as a browser does.
func (a authority) opens(said string) {
	a.t.Helper()
	link := invited.FindStringSubmatch(said)
	if link == nil {
		a.t.Fatalf("no link is printed: %s", said)
	}
	r, err := http.NewRequestWithContext(a.t.Context(), http.MethodGet, link[1], http.NoBody)
	must(a.t, err)
	page, err := a.client.Do(r)
	must(a.t, err)
	must(a.t, page.Body.Close())
	if page.StatusCode != http.StatusOK || page.TLS == nil {
		a.t.Errorf("%s leads to %s: %s", link[1], page.Request.URL, page.Status)
	}
}

// renews has certbot renew the certificate before it is due, and looks for the new one.
func (a authority) renews(m *installed) {
	a.t.Helper()
	before := a.serial()
	m.do("certbot renew --force-renewal --no-random-sleep-on-renew --quiet")
	waitFor(a.t, func() bool { after := a.serial(); return after != "" && after != before })
}

// serial is that of the certificate that the machine shows; "" while the proxy is reloaded.
func (a authority) serial() string {
	a.t.Helper()
	settings := a.client.Transport.(*http.Transport).TLSClientConfig.Clone()
	settings.ServerName = "elm-street.api.example.org"
	conn, err := (&tls.Dialer{Config: settings}).DialContext(a.t.Context(), "tcp", net.JoinHostPort(theMachine, "443"))
	if err != nil {
		return ""
	}
	defer conn.Close()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.String()
}
