//go:build walk

package docs_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
)

// The middleware of every language refuses webhooks that the service has not sent now, or not
// to this practice. No handler gets them.
func TestWalkClientsRefuseWrongWebhook_D99(t *testing.T) {
	t.Parallel()
	inEveryLanguage(t, func(t *testing.T, c clientPackage) {
		jwks := newPublisher(t).publish(string(service.JWKS()))
		d := c.drive(t, "listen", "FRONTDESK_JWKS="+jwks, "FRONTDESK_TENANT=elm-street")
		var listening struct{ URL string }
		d.read(&listening)
		fresh := func(jti string, edits ...bearertest.Edit) string {
			return webhook(append([]bearertest.Edit{freshly, claim("jti", jti)}, edits...)...)
		}
		expired := func(_, claims map[string]any) {
			claims["iat"], claims["exp"] = clock.System().Unix()-61, clock.System().Unix()-1
		}
		stranger := service
		stranger.Key = bearertest.StrangersKey()
		first := fresh("first")
		if status, _ := post(t, listening.URL, first); status != http.StatusNoContent {
			t.Errorf("a right one is answered %d", status)
		}
		for name, wrong := range map[string]struct {
			body   string
			status int
			says   string // the reason, in one word
		}{
			"expired":                 {webhook(claim("jti", "1"), expired), 400, "expired"},
			"another sender":          {fresh("2", claim("iss", "frontdesk")), 400, "wrong-issuer"},
			"a strange key":           {fresh("3", head("kid", "other-key")), 400, "unknown-key"},
			"of a stranger":           {stranger.Sign(encoded(fields{"alg": "RS256", "typ": "JWT", "kid": service.Kid}), []byte(`{"iss":"service"}`)), 400, "bad-signature"},
			"alg none":                {unsigned(), 400, "malformed"},
			"an HMAC":                 {confused(), 400, "malformed"},
			"changed":                 {changed(fresh("4")), 400, "bad-signature"},
			"another practice's":      {fresh("5", claim("tenantId", "oak-lane")), 400, "wrong-tenant"},
			"no jti":                  {fresh("6", without("jti")), 400, "bad-claims"},
			"other data":              {fresh("7", claim("data", fields{"patientId": 7})), 400, "bad-claims"},
			"no token":                {"hello", 400, "malformed"},
			"crit":                    {fresh("8", head("crit", []string{"exp"})), 400, "malformed"},
			"received before":         {first, 409, "replayed"},
			"larger than any webhook": {strings.Repeat("a", 65<<10), 413, ""},
		} {
			if status, says := post(t, listening.URL, wrong.body); status != wrong.status || says != wrong.says {
				t.Errorf("%s: it is answered %d %q", name, status, says)
			}
		}
		post(t, listening.URL, fresh("last"))
		for _, jti := range []string{"first", "last"} { // and nothing between them
			var got received
			if d.read(&got); got.JTI != jti || got.Event != "record.opened" || got.TenantID != "elm-street" || got.Data["userName"] != "Dr Ann Lee" {
				t.Errorf("it handles %+v", got)
			}
		}
	})
}

// changed changes a character of a token's payload.
func changed(token string) string {
	other := "x"
	if token[150] == 'x' {
		other = "y"
	}
	return token[:150] + other + token[151:]
}

func post(t *testing.T, url, body string) (status int, says string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/jwt")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// The service's key is replaced, in an emergency, at a sandbox of its own; webhooks that the
// new key signs are believed.
func TestWalkClientsFollowKeyRotation_D99(t *testing.T) {
	t.Parallel()
	if _, err := theSandbox(); err != nil { // which has built the program
		t.Fatal(err)
	}
	s, err := startSandbox(".frontdesk/bin/frontdesk sandbox")
	if err != nil {
		t.Fatal(err)
	}
	clients, err := theClients()
	if err != nil {
		t.Fatal(err)
	}
	integrators := map[string]integrator{}
	for name, c := range clients {
		integrators[name] = anIntegrator(t, s, c)
	}
	read := func(when string) {
		t.Helper()
		for name, i := range integrators {
			var got received
			if i.receiver.read(&got); got.Event != "record.opened" || got.Data["patientId"] == "" {
				t.Errorf("%s %s has %+v", name, when, got)
			}
		}
	}
	s.operate(t, "webhook", "trigger", "record.opened")
	read("before")
	before := s.keys(t)
	s.rotate(t)
	if after := s.keys(t); after == before {
		t.Fatal("the keys are what they were")
	}
	stop := s.triggerEverySecond(t)
	read("after")
	stop()
}

// triggerEverySecond sends webhooks until it is stopped: receivers fetch keys once a second
// at most, so they may not have the new one yet.
func (s *sandbox) triggerEverySecond(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_, _ = tryOutput(ctx, "", "..", "env", "FRONTDESK_DIR="+s.dir, ".frontdesk/bin/frontdesk", "webhook", "trigger", "record.opened")
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}()
	return func() { cancel(); <-done }
}

// keys is the service's key set.
func (s *sandbox) keys(t *testing.T) string {
	t.Helper()
	var info sandboxInfo
	s.read(t, &info)
	response, err := http.Get(info.APIURL + "/transactional-api/jwks")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rotate publishes another key, and has it sign at once: the one before is lost.
func (s *sandbox) rotate(t *testing.T) {
	t.Helper()
	var info sandboxInfo
	s.read(t, &info)
	keys := func(arguments ...string) string {
		return s.operate(t, append([]string{"key"}, append(arguments, "--database-url", info.DatabaseURL, "--master-key-file", info.MasterKeyFile, "--json")...)...)
	}
	var signs, staged struct{ KID string }
	if err := json.Unmarshal([]byte(s.operate(t, "key", "list", "--json", "--database-url", info.DatabaseURL)), &signs); err != nil { // one alone
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(keys("stage")), &staged); err != nil {
		t.Fatal(err)
	}
	keys("retire", signs.KID, "--yes")
	keys("activate", staged.KID)
}
