package httpx_test

import (
	"net/http"
	"net/netip"
	"testing"

	"frontdesk/adapters/httpx"
)

func TestClientAddressTrustsOnlyProxies_D27(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		name, remote string
		forwarded    []string
		want         string
	}{
		{"no header", "192.0.2.1:5000", nil, "192.0.2.1"},
		{"a header of nobody we trust", "192.0.2.1:5000", []string{"203.0.113.5"}, "192.0.2.1"},
		{"behind a proxy", "10.0.0.1:5000", []string{"203.0.113.5"}, "203.0.113.5"},
		{"behind two", "10.0.0.1:5000", []string{"203.0.113.5, 10.0.0.2"}, "203.0.113.5"},
		{"in two headers", "10.0.0.1:5000", []string{"203.0.113.5", "10.0.0.2"}, "203.0.113.5"},
		{"forged by the client", "10.0.0.1:5000", []string{"198.51.100.1, 203.0.113.5"}, "203.0.113.5"},
		{"a proxy of the client's", "10.0.0.1:5000", []string{"10.0.0.9, 203.0.113.5"}, "203.0.113.5"},
		{"no address", "10.0.0.1:5000", []string{"unknown"}, "10.0.0.1"},
		{"an empty header", "10.0.0.1:5000", []string{""}, "10.0.0.1"},
		{"IPv4 in IPv6", "[::ffff:192.0.2.1]:5000", nil, "192.0.2.1"},
		{"IPv6 counts as its network", "[2001:db8:1:2:3:4:5:6]:5000", nil, "2001:db8:1:2::/64"},
		{"IPv6 behind a proxy", "[fd00::1]:5000", []string{"2001:db8:1:2::7"}, "2001:db8:1:2::/64"},
		{"a link-local zone", "[fe80::1%eth0]:5000", nil, "fe80::/64"},
		{"no connection", "", nil, "unknown"},
	} {
		r := &http.Request{RemoteAddr: c.remote, Header: http.Header{"X-Forwarded-For": c.forwarded}}
		if got := httpx.ClientAddress(r, proxies); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
