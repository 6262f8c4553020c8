package outbound_test

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"frontdesk/adapters/outbound"
)

// closed holds one address, or more, of every range that is not public.
var closed = []string{
	"0.0.0.0", "0.1.2.3", // this network
	"10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", // private
	"100.64.0.1", "100.127.255.255", "100.100.100.200", // shared, and a metadata service in it
	"127.0.0.1", "127.255.255.254", // loopback
	"169.254.0.1", "169.254.169.254", "169.254.170.2", // link-local and metadata
	"168.63.129.16",            // metadata behind a public address
	"192.0.0.1", "192.0.0.192", // protocol assignments, and a metadata service in it
	"192.0.2.1", "198.51.100.1", "203.0.113.1", // documentation
	"192.88.99.1", "198.18.0.1", // 6to4 relay, benchmarks
	"224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", // multicast, reserved, broadcast
	"::", "::1", // unspecified, loopback
	"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", // mapped
	"::127.0.0.1", "::ffff:0:127.0.0.1", // compatible, translated
	"64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", // NAT64
	"2002:7f00:1::1", "2002:a9fe:a9fe::1", // 6to4
	"2001::1", "2001:0:7f00:1::", // Teredo
	"2001:db8::1", "3fff::1", // documentation
	"100::1",                           // discard
	"fe80::1", "fe80::1%lo", "febf::1", // link-local
	"fec0::1", "fc00::1", "fd00::1", "fd00:ec2::254", // site-local, unique local, metadata
	"ff02::1", "ff05::2", // multicast
}

func TestAnAddressThatIsNotPublicIsClosed(t *testing.T) {
	t.Parallel()
	for _, text := range closed {
		if err := (outbound.Guard{}).CheckAddr(netip.MustParseAddr(text)); !errors.Is(err, outbound.ErrBlocked) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"1.1.1.1", "8.8.8.8", "168.63.129.15", "172.32.0.1", "2606:4700::1111", "2a00:1450::1"} {
		if err := (outbound.Guard{}).CheckAddr(netip.MustParseAddr(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestTheOperatorOpensNetworks(t *testing.T) {
	t.Parallel()
	guard := outbound.Guard{Allow: []netip.Prefix{
		netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("fd12::/16"),
	}}
	for text, open := range map[string]bool{
		"127.0.0.1": true, "fd12::1": true, "8.8.8.8": true,
		"::1": false, "::ffff:127.0.0.1": false, "fd13::1": false, "fd12::1%lo": false, "10.0.0.1": false,
	} {
		if err := guard.CheckAddr(netip.MustParseAddr(text)); (err == nil) != open {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAClosedAddressIsNeverDialled(t *testing.T) {
	t.Parallel()
	client := outbound.NewClient(outbound.NewTransport(outbound.Guard{}, nil))
	for _, text := range closed {
		for _, scheme := range []string{"http", "https"} {
			host := netip.AddrPortFrom(netip.MustParseAddr(text).WithZone(""), 9).String()
			if err := get(t.Context(), client, scheme+"://"+host+"/"); !errors.Is(err, outbound.ErrBlocked) {
				t.Errorf("%s://%s: %v", scheme, host, err)
			}
		}
	}
}

func TestPlainHTTPReachesOpenedNetworksOnly(t *testing.T) {
	t.Parallel()
	client := outbound.NewClient(outbound.NewTransport(outbound.Guard{Allow: loopback}, nil))
	if err := get(t.Context(), client, "http://8.8.8.8:9/"); !errors.Is(err, outbound.ErrBlocked) {
		t.Errorf("a public address by http: %v", err)
	}
}

func TestAURLIsJudgedByItsText(t *testing.T) {
	t.Parallel()
	opened := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for _, test := range []struct {
		url   string
		allow []netip.Prefix
		want  string // a part of the refusal; "" to accept
	}{
		{url: "https://keys.example/jwks.json"},
		{url: "https://keys.example:8443/jwks?set=1"},
		{url: "https://1.1.1.1/jwks"},
		{url: "https://[2606:4700::1111]/jwks"},
		{url: "HTTPS://keys.example/"},
		{url: "https://127.0.0.1:9/", allow: opened},
		{url: "http://127.0.0.1:9/", allow: opened},
		{url: "http://localhost:9/", allow: opened},

		{url: "http://keys.example/", want: "must start with https"},
		{url: "http://localhost/", want: "must start with https"},
		{url: "http://1.1.1.1/", allow: opened, want: "must start with https"},
		{url: "http://10.0.0.1/", allow: opened, want: "must start with https"},
		{url: "ftp://keys.example/", want: "must start with https"},
		{url: "file:///etc/passwd", want: "of the form"},
		{url: "https:keys.example", want: "of the form"},
		{url: "https:///jwks", want: "of the form"},
		{url: "//keys.example/", want: "must start with https"},
		{url: "keys.example", want: "of the form"},
		{url: "", want: "of the form"},
		{url: "https://keys.example/\n", want: "of the form"},
		{url: "https://[::1", want: "of the form"},
		{url: "https://user@keys.example/", want: "user name"},
		{url: "https://:@keys.example/", want: "user name"},
		{url: "https://keys.example/#", want: "fragment"},
		{url: "https://keys.example/#keys", want: "fragment"},
		{url: "https://keys.example:0/", want: "port"},
		{url: "https://keys.example:65536/", want: "port"},
		{url: "https://127.0.0.1/", want: "not public"},
		{url: "https://169.254.169.254/latest", want: "not public"},
		{url: "https://[::1]/", allow: opened, want: "not public"},
		{url: "https://[::ffff:127.0.0.1]/", allow: opened, want: "not public"},
		{url: "https://[fe80::1%25eth0]/", want: "not public"},
		{url: "https://keys.example/" + strings.Repeat("a", 2048), want: "longer than 2048"},
	} {
		err := outbound.Guard{Allow: test.allow}.CheckURL(test.url)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%q is refused: %v", test.url, err)
		case test.want == "":
		case !errors.Is(err, outbound.ErrURL) || !strings.Contains(err.Error(), test.want):
			t.Errorf("%q: got %v, want a refusal that says %q", test.url, err, test.want)
		}
	}
}

// loopback is the networks that the sandbox opens.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// get calls url and reports only whether that failed.
func get(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
