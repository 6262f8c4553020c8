package outbound_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"frontdesk/adapters/outbound"
)

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
