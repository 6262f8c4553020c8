package integrate_test

import (
	"crypto/rsa"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

func TestFixOfARefusedTokenIsExplained_D92(t *testing.T) {
	t.Parallel()
	app := bearertest.NewApplication(applicationID(t))
	now := clock.System()
	for name, test := range map[string]struct {
		edit       bearertest.Edit
		says, does string
	}{
		"milliseconds": {bearertest.Claim("iat", now.UnixMilli()), "which looks like milliseconds: iat must be in seconds", "Math.floor(Date.now() / 1000)"},
		"an old token": {func(_, claims map[string]any) {
			claims["iat"], claims["exp"] = now.Unix()-200, now.Unix()-140
		}, "; is your clock slow?", "set your clock by NTP"},
		"a user": {bearertest.Claim("sub", "ann"), "JWT is missing the azp claim", "azp is needed wherever sub is a username"},
	} {
		o := clitest.Frontdesk(t, "token", "explain", "--dir", t.TempDir(), app.Token(now, test.edit))
		if o.Status != 1 || !strings.Contains(o.Out, test.says) || !strings.Contains(o.Out, "What to do: ") || !strings.Contains(o.Out, test.does) ||
			!strings.Contains(o.Out, "docs/errors/unauthorized.md") || !strings.Contains(o.Err, test.says) {
			t.Errorf("%s: %s%s", name, o.Out, o.Err)
		}
	}
}

// HTTP drops blanks around a header's value, so the service never sees them.
func TestBlanksAroundAHeaderAreDropped_D92(t *testing.T) {
	t.Parallel()
	key, jwks := clitest.Keygen(t)
	token := clitest.Mint(t, key)
	for _, text := range []string{token + " ", " " + token, "Bearer " + token + " \t", "Authorization: \tBearer " + token + " \r\n"} {
		if v, o := explain(t, text, "--jwks", jwks); !v.Accepted {
			t.Errorf("%q: %+v %s", text, v, o.Err)
		}
	}
}

// A set is explained key by key, also if one of them is enough.
func TestEachRefusedKeyOfASetIsExplained_D92(t *testing.T) {
	t.Parallel()
	app := bearertest.NewApplication(applicationID(t))
	public := bearertest.JWK(app.Kid, &app.Key.PublicKey)
	leaked := bearertest.JWK("leaked", &app.Key.PublicKey)
	leaked["d"] = "AQAB"
	nameless := bearertest.JWK("", &app.Key.PublicKey)
	small := bearertest.JWK("small", &rsa.PublicKey{N: new(big.Int).SetBit(big.NewInt(1), 1023, 1), E: 65537})
	file := filepath.Join(t.TempDir(), "jwks.json")
	if err := os.WriteFile(file, bearertest.KeySet(public, leaked, nameless, small), 0o600); err != nil {
		t.Fatal(err)
	}
	o := clitest.Frontdesk(t, "token", "explain", "--jwks", file, app.Token(clock.System()))
	for _, text := range []string{
		"The key set: Of the 4 keys in the set, 1 can verify tokens.",
		`key 2, "leaked", is not used: it holds a private key: rotate it now`,
		`key 3, "", is not used: it has no kid.`,
		`key 4, "small", is not used: it has 1024 bits: it must have 2048 to 4096.`,
		"Not known here: the service may use a key set of up to an hour ago",
	} {
		if o.Status != 0 || !strings.Contains(o.Out, text) {
			t.Errorf("it does not say %q: %s%s", text, o.Out, o.Err)
		}
	}
}

func TestFailureOfAKeySetURLIsExplained_D92(t *testing.T) {
	t.Parallel()
	app := bearertest.NewApplication(applicationID(t))
	server := bearertest.NewServer(app.JWKS())
	t.Cleanup(server.Close)
	open := "--allow-network=127.0.0.0/8"
	o := clitest.Frontdesk(t, "token", "explain", "--jwks", server.URL, app.Token(clock.System()))
	if o.Status != 1 || !strings.Contains(o.Out, "The URL is not called") || !strings.Contains(o.Out, "the networks that its operator allows") {
		t.Errorf("a network that is not allowed: %s%s", o.Out, o.Err)
	}
	server.Fail(http.StatusNotFound)
	o = clitest.Frontdesk(t, "token", "explain", "--jwks", server.URL, open, app.Token(clock.System()))
	if o.Status != 1 || !strings.Contains(o.Out, "The key set: The URL answered with status 404: it must answer 200 with the key set.") {
		t.Errorf("404: %s%s", o.Out, o.Err)
	}
}

const (
	ownApplication = `{"applicationId":"` + clitest.SomeApplication + `","name":"Referrals","tenantId":"elm-street","enabled":false,` +
		`"grants":[{"endpoint":"ping","mode":"application-restricted"}],"callbacks":[],"patientScoped":false,"keySetUrl":"https://keys.example/",` +
		`"webhooks":[],"authorisations":{"standing":2,"patientScoped":0}}`
	ownKeySet = `{"url":"https://keys.example/","keys":[{"kid":"old","since":"2026-03-02T11:00:00Z"}],"fetchedAt":"2026-03-02T12:00:00Z",` +
		`"until":"2026-03-02T13:00:00Z","lastFetch":{"at":"2026-03-02T12:00:00Z","outcome":"read","description":"Of the 2 keys in the set, 1 can verify tokens.",` +
		`"keys":[{"kid":"old","usable":true,"why":null},{"kid":"new","usable":false,"why":"its use is \"enc\": it must be sig, or absent"}]}}`
)

// running plays a service, and returns its address and which paths were asked with which
// header.
func running(t *testing.T, answers map[string]string) (url string, asked func() []string) {
	t.Helper()
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.URL.Path+" "+r.Header.Get("Authorization"))
		answer := answers[strings.TrimPrefix(r.URL.Path, "/transactional-api/")]
		w.Header().Set("X-Request-Id", "r-1")
		if strings.Contains(answer, `"errors"`) {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []string { return seen }
}

func unauthorized(description string) string {
	text, _ := json.Marshal(map[string]any{"errors": []any{map[string]any{"code": "unauthorized", "description": description}}})
	return string(text)
}

func TestARunningServiceIsAskedWithTheTokenItself_D92(t *testing.T) {
	t.Parallel()
	key, jwks := clitest.Keygen(t)
	token := clitest.Mint(t, key)
	url, asked := running(t, map[string]string{"application": ownApplication, "application/key-set": ownKeySet})
	o := clitest.Frontdesk(t, "token", "explain", "--jwks", jwks, "--against", url, token)
	for _, text := range []string{
		"The service would take this token", "The service at " + url + "/transactional-api takes it.",
		"Referrals (" + clitest.SomeApplication + ")", "Practice elm-street has not enabled it", "ping:application-restricted", "let it act for them: 2",
		"old, since 2026-03-02T11:00:00Z", "Of the 2 keys in the set, 1 can verify tokens.", `"new" cannot be used: its use is "enc"`,
	} {
		if o.Status != 0 || !strings.Contains(o.Out, text) {
			t.Errorf("it does not say %q: %s%s", text, o.Out, o.Err)
		}
	}
	if strings.Contains(o.Out, "Not judged here") || strings.Contains(o.Out, "Not known here") {
		t.Errorf("it was asked, and says: %s", o.Out)
	}
	if want := []string{"/transactional-api/application Bearer " + token, "/transactional-api/application/key-set Bearer " + token}; !slices.Equal(asked(), want) {
		t.Errorf("asked %q", asked())
	}
}

func TestDifferingVerdictOfServiceIsShown_D92(t *testing.T) {
	t.Parallel()
	key, jwks := clitest.Keygen(t)
	token := clitest.Mint(t, key)
	later := clock.System().Add(time.Hour).Format(time.RFC3339)
	for name, test := range map[string]struct {
		answers map[string]string
		flags   []string
		status  int
		says    []string
	}{
		"a kid that the service does not hold": {
			map[string]string{"application": unauthorized("Invalid JWT: no key with this kid")}, nil, 1,
			[]string{"refuses it: Invalid JWT: no key with this kid (X-Request-Id: r-1)", "What to do: Publish the key", "So the service does not reveal the application's registration"},
		},
		"a token that is old by another clock": {
			map[string]string{"application": ownApplication, "application/key-set": ownKeySet}, []string{"--now", later}, 1,
			[]string{"The service would refuse this token: Invalid JWT: the token expired", "takes it: its clock or its key set differs"},
		},
		"a user's token": {
			map[string]string{"application": unauthorized(inUserMode(t))}, nil, 0,
			[]string{"takes it.", "About an application, it answers only the application itself"},
		},
		"something else than the service": {
			map[string]string{"application": "<h1>Welcome</h1>"}, nil, 1, []string{"did not answer as expected"},
		},
	} {
		url, _ := running(t, test.answers)
		o := clitest.Frontdesk(t, slices.Concat([]string{"token", "explain", "--jwks", jwks, "--against", url}, test.flags, []string{token})...)
		for _, text := range test.says {
			if o.Status != test.status || !strings.Contains(o.Out, text) {
				t.Errorf("%s: status %d, and it does not say %q: %s%s", name, o.Status, text, o.Out, o.Err)
			}
		}
	}
	o := clitest.Frontdesk(t, "token", "explain", "--jwks", jwks, "--against", "http://127.0.0.1:1", token)
	if o.Status != 1 || !strings.Contains(o.Out, "did not answer") {
		t.Errorf("a service that is away: %s%s", o.Out, o.Err)
	}
	clitest.Frontdesk(t, "token", "explain", "--jwks", jwks, "--against", "elm-street", token).WantFailure(t, 1, "{base_url}")
}

// inUserMode is how the service refuses a user's token that asks about the application.
func inUserMode(t *testing.T) string {
	t.Helper()
	for _, e := range access.Endpoints() {
		if e.Name == "application" {
			err := access.Judge(access.Caller{
				Claim: access.Claim{Mode: application.UserRestricted, Endpoint: e}, Rights: access.Rights{Known: true},
			}, nil)
			return strings.TrimPrefix(err.Error(), "unauthorized: ")
		}
	}
	t.Fatal("there is no such endpoint")
	return ""
}

func TestTheServicesViewIsOneObject_D92(t *testing.T) {
	t.Parallel()
	key, jwks := clitest.Keygen(t)
	url, _ := running(t, map[string]string{"application": ownApplication, "application/key-set": ownKeySet})
	o := clitest.Frontdesk(t, "token", "explain", "--json", "--jwks", jwks, "--against", url, clitest.Mint(t, key))
	var said struct {
		Accepted bool
		KeySet   struct{ Outcome string }
		Service  struct {
			Proven      bool
			Application struct{ Enabled bool }
			KeySet      struct{ Keys []struct{ KID string } }
		}
	}
	if err := json.Unmarshal([]byte(o.Out), &said); err != nil || !said.Accepted || said.KeySet.Outcome != "read" || !said.Service.Proven ||
		said.Service.Application.Enabled || len(said.Service.KeySet.Keys) != 1 {
		t.Errorf("%s: %v", o.Out, err)
	}
}

func TestAKeyIsMintedWithForItsApplicationAlone_D92(t *testing.T) {
	t.Parallel()
	key, _ := clitest.Keygen(t)
	clitest.Frontdesk(t, "token", "mint", "--key", key).WantFailure(t, 1, "give --key and --application together", "--kid")
	clitest.Frontdesk(t, "token", "mint", "--application", clitest.SomeApplication).WantFailure(t, 1, "give --key and --application together")
}
