package application_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"frontdesk/domain/application"
)

var callbacks = []string{
	"https://app.example/callback",
	"https://app.example:8443/other?from=registration",
	"http://127.0.0.1/callback",
	"http://localhost:3000/callback",
	"http://[::1]/callback",
	"frontdesk-app://callback",
	"frontdesk-app:/callback",
}

func TestOnlyRegisteredCallbackRedirects_D25(t *testing.T) {
	t.Parallel()
	for callback, found := range map[string]bool{
		"https://app.example/callback":                       true,
		"https://app.example/callback?state=x&y":             true,
		"https://app.example:8443/other":                     true,
		"http://127.0.0.1:49152/callback":                    true, // loopback: any port
		"http://127.0.0.1/callback?a=b":                      true,
		"http://localhost:1/callback":                        true,
		"http://[::1]:5000/callback":                         true,
		"frontdesk-app://callback?x=1":                       true,
		"frontdesk-app:/callback":                            true,
		"":                                                   false,
		"https://app.example/callback/":                      false,
		"https://app.example/callback/../callback":           false,
		"https://app.example/Callback":                       false,
		"https://app.example/%63allback":                     false,
		"https://APP.example/callback":                       false,
		"https://app.example:443/callback":                   false,
		"https://app.example.evil.example/callback":          false,
		"https://evil.example/callback":                      false,
		"https://evil.example/?https://app.example/callback": false,
		"https://app.example@evil.example/callback":          false,
		"https://user:pw@app.example/callback":               false,
		"https://app.example/callback#fragment":              false,
		"https://app.example/callback#":                      false,
		"http://app.example/callback":                        false,
		"//evil.example/callback":                            false,
		"/callback":                                          false,
		"https:/\\app.example/callback":                      false,
		"https://app.example\\@evil.example/callback":        false,
		"https://app.example/callback?a=\r\nSet-Cookie: b=c": false,
		"https://app.example/callback?\t":                    false,
		" https://app.example/callback":                      false,
		"https://app.example/callb\u0430ck":                  false, // a Cyrillic letter
		"javascript:alert(1)":                                false,
		"JavaScript://app.example/callback?%0Aalert(1)":      false,
		"data:text/html,x":                                   false,
		"http://127.0.0.1:80@evil.example/callback":          false,
		"http://127.0.0.1.evil.example/callback":             false,
		"http://127.0.0.2/callback":                          false,
		"http://127.0.0.1:x/callback":                        false,
		"http://127.0.0.1:49152/other":                       false,
		"https://127.0.0.1/callback":                         false,
		"http://2130706433/callback":                         false,
		"http://localhost:3000@evil.example/callback":        false,
		"frontdesk-app://callback/x":                         false,
		"frontdesk-app:callback":                             false,
		"frontdesk-app://callback.evil.example":              false,
		"other-app://callback":                               false,
	} {
		_, err := application.FindRedirect(callbacks, callback)
		if (err == nil) != found {
			t.Errorf("%q: %v, want found = %t", callback, err, found)
		}
		if err != nil && !errors.Is(err, application.ErrUnknownCallback) {
			t.Errorf("%q: %v, want %v", callback, err, application.ErrUnknownCallback)
		}
	}
}

func TestCallbackKeepsItsParameters_D26(t *testing.T) {
	t.Parallel()
	expiresAt := time.Date(2026, 7, 1, 13, 0, 0, 999, time.FixedZone("BST", 3600))
	const approval = "username=dr.lee%2B1+%C3%B6&expiresAt=2026-07-01T12%3A00%3A00Z"
	for _, c := range []struct{ callback, approved, declined string }{
		{"https://app.example/callback", "?" + approval, "?error=access_denied"},
		{"https://app.example/callback?", "?" + approval, "?error=access_denied"},
		{"https://app.example/callback?state=a%2fb&x&state=+&=&&y=%zz", "?state=a%2fb&x&state=+&=&&y=%zz&" + approval,
			"?state=a%2fb&x&state=+&=&&y=%zz&error=access_denied"},
		{"https://app.example/callback?username=eve&a=1&%75sername=eve&expiresAt=9999", "?a=1&" + approval, "?a=1&error=access_denied"},
		{"https://app.example/callback?errors=2&user=kept&my-error=x", "?errors=2&user=kept&my-error=x&" + approval,
			"?errors=2&user=kept&my-error=x&error=access_denied"},
		{"frontdesk-app://callback?s=1", "?s=1&" + approval, "?s=1&error=access_denied"},
		{"frontdesk-app:/callback", "?" + approval, "?error=access_denied"},
		{"http://[::1]:5000/callback", "?" + approval, "?error=access_denied"},
	} {
		redirect, err := application.FindRedirect(callbacks, c.callback)
		if err != nil {
			t.Errorf("%s: %v", c.callback, err)
			continue
		}
		base, _, _ := strings.Cut(c.callback, "?")
		if got := redirect.Approved("dr.lee+1 ö", expiresAt); got != base+c.approved {
			t.Errorf("%s\n got %s\nwant %s", c.callback, got, base+c.approved)
		}
		if got := redirect.Declined(); got != base+c.declined {
			t.Errorf("%s\n got %s\nwant %s", c.callback, got, base+c.declined)
		}
	}
}

// The author of the link chose its query. Clients must not read that as the outcome,
// however lenient their parser is.
func TestACallbacksOwnQueryIsNoOutcome_D26(t *testing.T) {
	t.Parallel()
	expiresAt := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for _, own := range []string{
		"error=access_denied", "error", "error=", "%65rror=x", "Error=x", "ERROR=x", "error[]=x", "error%5B0%5D=x", "+error=x", "%20error=x",
		"username=eve", "Username=eve", "username[]=eve", "expiresAt=9999", "expiresat=9999", "EXPIRESAT=9999", "x;error=access_denied", "x=1;Username=eve",
	} {
		redirect, err := application.FindRedirect(callbacks, "https://app.example/callback?a=1&"+own+"&b=2")
		if err != nil {
			t.Fatalf("%s: %v", own, err)
		}
		if got, want := redirect.Approved("dr.lee", expiresAt), "https://app.example/callback?a=1&b=2&username=dr.lee&expiresAt=2026-07-01T12%3A00%3A00Z"; got != want {
			t.Errorf("%s, approved:\n got %s\nwant %s", own, got, want)
		}
		if got, want := redirect.Declined(), "https://app.example/callback?a=1&b=2&error=access_denied"; got != want {
			t.Errorf("%s, declined:\n got %s\nwant %s", own, got, want)
		}
	}
}

func TestRedirectHasSchemeAndHost(t *testing.T) {
	t.Parallel()
	for callback, want := range map[string]struct{ scheme, host string }{
		"https://app.example/callback":    {"https", "app.example"},
		"https://app.example:8443/other":  {"https", "app.example:8443"},
		"http://127.0.0.1:49152/callback": {"http", "127.0.0.1:49152"},
		"http://[::1]:5000/callback":      {"http", "[::1]:5000"},
		"frontdesk-app://callback":        {"frontdesk-app", ""},
		"frontdesk-app:/callback":         {"frontdesk-app", ""},
	} {
		redirect, err := application.FindRedirect(callbacks, callback)
		if err != nil || redirect.Scheme() != want.scheme || redirect.Host() != want.host {
			t.Errorf("%s: got %q, %q, %v, want %q", callback, redirect.Scheme(), redirect.Host(), err, want)
		}
	}
}
