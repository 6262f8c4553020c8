package integrate_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/cli/clitest"
)

// Programs read these objects: members that the service answers with null are left out, and
// their order stays.
func TestIntegratorPrintsStableJSON(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args   []string
		answer string
		status int // of the answer
		out    string
		exit   int
	}{
		"an application": {
			[]string{"application"}, ownApplication, 200,
			`{"applicationId":"` + clitest.SomeApplication + `","name":"Referrals","tenantId":"elm-street","enabled":false,"grants":[{"endpoint":"ping","mode":"application-restricted"}],` +
				`"callbacks":[],"patientScoped":false,"keySetUrl":"https://keys.example/","webhooks":[],"authorisations":{"standing":2,"patientScoped":0}}` + "\n", 0,
		},
		"a key set": {
			[]string{"key-set"}, ownKeySet, 200,
			`{"url":"https://keys.example/","keys":[{"kid":"old","since":"2026-03-02T11:00:00Z"}],"fetchedAt":"2026-03-02T12:00:00Z","until":"2026-03-02T13:00:00Z",` +
				`"lastFetch":{"at":"2026-03-02T12:00:00Z","outcome":"read","description":"Of the 2 keys in the set, 1 can verify tokens.",` +
				`"keys":[{"kid":"old","usable":true},{"kid":"new","usable":false,"why":"its use is \"enc\": it must be sig, or absent"}]}}` + "\n", 0,
		},
		"a key set that was never read": {
			[]string{"key-set", "--reread"}, `{"url":"https://keys.example/","keys":[],"fetchedAt":null,"until":null,"lastFetch":null}`, 200,
			`{"url":"https://keys.example/","keys":[]}` + "\n", 0,
		},
		"calls": {
			[]string{"calls"}, pageOf("", anUnproven, strings.ReplaceAll(anAnswered, "%s", "a"), `{"requestId":"x","at":"2026-03-02T12:00:07.5Z","endpoint":"create-note","mode":"user-restricted",`+
				`"status":400,"code":"empty-note","description":"note must not be <blank>.","rule":null,"durationMs":0,"unproven":false}`), 200,
			`{"requestId":"u","at":"2026-03-02T12:00:09Z","endpoint":"ping","status":403,"code":"unauthorized","description":"Invalid JWT: no key with this kid","rule":"unknown-key","unproven":true,"fix":"FIX"}` + "\n" +
				`{"requestId":"a","at":"2026-03-02T12:00:00Z","endpoint":"ping","mode":"application-restricted","status":200,"userAgent":"curl/8.5.0","durationMs":3,"unproven":false}` + "\n" +
				`{"requestId":"x","at":"2026-03-02T12:00:07.5Z","endpoint":"create-note","mode":"user-restricted","status":400,"code":"empty-note","description":"note must not be \u003cblank\u003e.","unproven":false}` + "\n", 0,
		},
		"deliveries": {
			[]string{"deliveries"},
			`{"deliveries":[{"jti":"j","event":"record.opened","url":"https://app.example/hook","outcome":"failed","reason":"http_5xx","description":"The receiver failed (5xx).",` +
				`"happenedAt":"2026-03-02T12:00:00Z","sentAt":"2026-03-02T12:00:00Z","finishedAt":"2026-03-02T12:00:01Z","durationMs":17,"status":502},` +
				`{"jti":"old","event":"ping","url":null,"outcome":"delivered","reason":null,"description":null,"happenedAt":"2026-01-02T12:00:00Z","sentAt":null,"finishedAt":null,"durationMs":null,"status":null}],"next":null}`, 200,
			`{"jti":"j","event":"record.opened","url":"https://app.example/hook","outcome":"failed","reason":"http_5xx","description":"The receiver failed (5xx).",` +
				`"happenedAt":"2026-03-02T12:00:00Z","sentAt":"2026-03-02T12:00:00Z","finishedAt":"2026-03-02T12:00:01Z","durationMs":17,"status":502}` + "\n" +
				`{"jti":"old","event":"ping","outcome":"delivered","happenedAt":"2026-01-02T12:00:00Z"}` + "\n", 0,
		},
		"a ping": {
			[]string{"ping", "--wait=0"}, `{"jti":"j","event":"record.opened","url":"https://app.example/hook"}`, 200,
			`{"jti":"j","event":"record.opened","url":"https://app.example/hook"}` + "\n", 0,
		},
		"a refusal": {[]string{"application"}, unauthorized("Invalid JWT: expired"), 403, "", 1},
	} {
		service := newAnswers(t, func(int, *http.Request) (int, string) { return test.status, strings.ReplaceAll(test.answer, "%d", "0") })
		o := service.run(t, append(test.args, "--json")...)
		if got := fixOf.ReplaceAllString(o.Out, `"fix":"FIX"`); got != test.out || o.Status != test.exit {
			t.Errorf("%s: exit status %d, printed\n%swant\n%s%s", name, o.Status, got, test.out, o.Err)
		}
	}
}

func TestAgainstPrintsStableJSON(t *testing.T) {
	t.Parallel()
	key, jwks := clitest.Keygen(t)
	for name, test := range map[string]struct {
		answers map[string]string
		want    string
	}{
		"taken": {
			map[string]string{"application": ownApplication, "application/key-set": `{"url":"https://keys.example/","keys":[],"fetchedAt":null,"until":null,"lastFetch":null}`},
			`{"url":"URL/transactional-api","proven":true,"application":{"applicationId":"` + clitest.SomeApplication + `","name":"Referrals","tenantId":"elm-street","enabled":false,` +
				`"grants":[{"endpoint":"ping","mode":"application-restricted"}],"callbacks":[],"patientScoped":false,"keySetUrl":"https://keys.example/","webhooks":[],` +
				`"authorisations":{"standing":2,"patientScoped":0}},"keySet":{"url":"https://keys.example/","keys":[]}}`,
		},
		"refused": {
			map[string]string{"application": unauthorized("Invalid JWT: no key with this kid")},
			`{"url":"URL/transactional-api","status":403,"code":"unauthorized","description":"Invalid JWT: no key with this kid","fix":"FIX","requestId":"r-1","proven":false}`,
		},
		"a page": {
			map[string]string{"application": "<h1>Welcome</h1>"},
			`{"url":"URL/transactional-api","problem":"read the answer of application: status 200 without the service's JSON","proven":false}`,
		},
	} {
		url, _ := running(t, test.answers)
		o := clitest.Frontdesk(t, "token", "explain", "--json", "--jwks", jwks, "--against", url, clitest.Mint(t, key))
		_, service, _ := strings.Cut(strings.TrimSuffix(o.Out, "}\n"), `,"service":`)
		service = fixOf.ReplaceAllString(strings.ReplaceAll(service, url, "URL"), `"fix":"FIX"`)
		if service != test.want {
			t.Errorf("%s: printed\n%s\nwant\n%s\n%s", name, service, test.want, o.Out)
		}
	}
	const elsewhere = `"problem":"the address must begin with https://, because anyone who reads a token can use it; http:// is allowed only on this machine","proven":false}`
	if o := clitest.Frontdesk(t, "token", "explain", "--json", "--jwks", jwks, "--against", "http://elm-street.api.example", clitest.Mint(t, key)); !strings.Contains(o.Out, elsewhere) || o.Status != 1 {
		t.Errorf("in clear: exit status %d, printed\n%s", o.Status, o.Out)
	}
	const away = `"problem":"ask the service: Get \"http://127.0.0.1:1/transactional-api/application\": dial tcp 127.0.0.1:1: connect: connection refused","proven":false}`
	if o := clitest.Frontdesk(t, "token", "explain", "--json", "--jwks", jwks, "--against", "http://127.0.0.1:1/", clitest.Mint(t, key)); !strings.Contains(o.Out, away) || o.Status != 1 {
		t.Errorf("away: exit status %d, printed\n%s", o.Status, o.Out)
	}
}

var fixOf = regexp.MustCompile(`"fix":"(?:[^"\\]|\\.)*"`)
