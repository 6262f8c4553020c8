package client_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk.example/client"
)

// vectors are those of docs/vectors.json that are for receivers.
type vectors struct {
	Now         time.Time
	ServiceJWKS json.RawMessage `json:"serviceJwks"`
	Webhooks    []struct {
		Name, Token string
		Now         *time.Time
		Accepted    bool
	}
}

func TestVerdictsMatchVectors_D99(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/vectors.json")
	var v vectors
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	keys, errKeys := client.ParseKeys(v.ServiceJWKS)
	if err != nil || errKeys != nil || len(v.Webhooks) < 15 {
		t.Fatal(err, errKeys)
	}
	for _, vector := range v.Webhooks {
		now := v.Now
		if vector.Now != nil {
			now = *vector.Now
		}
		webhook, err := client.Verify(vector.Token, keys, now)
		var why *client.WebhookError
		if (err == nil) != vector.Accepted || err != nil && !errors.As(err, &why) || err == nil && webhook.Event.Kind() == "" {
			t.Errorf("%s: %v", vector.Name, err)
		}
	}
}

var noon = time.Date(2027, 1, 15, 8, 0, 0, 0, time.UTC)

// publisher serves the service's keys, counts the requests, and can fail on demand.
type publisher struct {
	*httptest.Server
	set     atomic.Pointer[[]byte]
	fetches atomic.Int32
	down    atomic.Bool
}

func publish(t *testing.T) *publisher {
	t.Helper()
	p := &publisher{}
	set := signer(t).KeySet()
	p.set.Store(&set)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.fetches.Add(1)
		if p.down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write(*p.set.Load())
	}))
	t.Cleanup(p.Close)
	return p
}

// webhook is issued at noon, with the given claims replaced.
func webhook(key *rsa.PrivateKey, kid string, other map[string]any) string {
	claims := map[string]any{
		"iss": "service", "iat": noon.Unix(), "exp": noon.Unix() + 60, "jti": "j-1", "event": "record.opened", "tenantId": "elm-street",
		"data": map[string]any{"patientId": "p-1", "userName": nil, "userEmail": nil},
	}
	maps.Copy(claims, other)
	text, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	input := encode([]byte(`{"alg":"RS256","typ":"JWT","kid":"`+kid+`"}`)) + "." + encode(text)
	digest := sha256.Sum256([]byte(input))
	signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
	if err != nil {
		panic(err)
	}
	return input + "." + encode(signature)
}

func receiver(t *testing.T, p *publisher, now *time.Time) *client.Receiver {
	t.Helper()
	r, err := client.NewReceiver(client.ReceiverOptions{
		JWKSURL: p.URL, Tenant: client.Tenants("elm-street"), Remembered: 3, Now: func() time.Time { return *now },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func reason(err error) client.Reason {
	var why *client.WebhookError
	if !errors.As(err, &why) {
		return ""
	}
	return why.Reason
}

// A verifier remembers nothing, serves every practice, and returns the signed claims.
func TestVerifierGivesTheSignedClaims(t *testing.T) {
	t.Parallel()
	v, err := client.NewVerifier(client.VerifierOptions{JWKSURL: publish(t).URL, Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	body := webhook(aKey(), "one", map[string]any{"tenantId": "oak-lane"})
	for range 2 {
		got, err := v.Verify(t.Context(), body)
		claims, _ := base64.RawURLEncoding.DecodeString(strings.Split(body, ".")[1])
		if err != nil || got.TenantID != "oak-lane" || got.KID != "one" || !bytes.Equal(got.Claims, claims) ||
			string(got.Data) != `{"patientId":"p-1","userEmail":null,"userName":null}` {
			t.Errorf("%+v, %v", got, err)
		}
	}
	for body, want := range map[string]struct {
		reason client.Reason
		says   string
	}{
		webhook(otherKey(), "one", nil):                            {client.BadSignature, "its signature does not hold"},
		webhook(aKey(), "two", nil):                                {client.UnknownKey, `no published key has its kid: "two"`},
		webhook(aKey(), "one", map[string]any{"exp": noon.Unix()}): {client.Expired, "it has expired at 2027-01-15T08:00:00Z"},
		webhook(aKey(), "one", map[string]any{"iss": "x"}):         {client.WrongIssuer, `its iss is not "service": "x"`},
		webhook(aKey(), "one", map[string]any{"exp": "tomorrow"}):  {client.BadClaims, "its claims are not those of a webhook: "},
		"hello": {client.Malformed, "it is not a JWT signed with RS256: "},
	} {
		if got, err := v.Verify(t.Context(), body); reason(err) != want.reason || !strings.HasPrefix(err.Error(), want.says) || got.Claims != nil {
			t.Errorf("%v, want %s", err, want.says)
		}
	}
}

func TestReplayIsRefusedUntilExpiry_D99(t *testing.T) {
	t.Parallel()
	now := noon
	r := receiver(t, publish(t), &now)
	take := func(jti string, exp int64) client.Reason {
		_, err := r.Receive(t.Context(), webhook(aKey(), "one", map[string]any{"jti": jti, "exp": exp}))
		return reason(err)
	}
	soon := noon.Unix() + 60
	if why := take("a", soon); why != "" || take("a", soon) != client.Replayed {
		t.Errorf("the first is %q", why)
	}
	now = noon.Add(time.Minute)
	if why := take("a", soon); why != client.Expired {
		t.Errorf("after a minute it is %q", why)
	}
	if take("a", soon+60) != "" { // expired ones are forgotten
		t.Error("it is remembered for good")
	}
	for _, jti := range []string{"b", "c", "d"} { // three are remembered
		if why := take(jti, soon+60); why != "" {
			t.Errorf("%s is %q", jti, why)
		}
	}
	if take("d", soon+60) != client.Replayed || take("a", soon+60) != "" {
		t.Error("it remembers more than it may, or forgets the newest")
	}
}

func TestUnknownKidFetchesKeysRarely_D99(t *testing.T) {
	t.Parallel()
	now := noon
	p := publish(t)
	r := receiver(t, p, &now)
	jti := 0
	take := func(key *rsa.PrivateKey, kid string) client.Reason {
		jti++
		_, err := r.Receive(t.Context(), webhook(key, kid, map[string]any{"jti": fmt.Sprint(jti)}))
		return reason(err)
	}
	for range 5 {
		if why := take(aKey(), "one"); why != "" {
			t.Errorf("it is %q", why)
		}
		if why := take(otherKey(), "forged"); why != client.UnknownKey {
			t.Errorf("a forged one is %q", why)
		}
	}
	if n := p.fetches.Load(); n != 1 {
		t.Errorf("they are fetched %d times", n)
	}
	s := signer(t)
	if err := s.Add(client.Key{KID: "two", Private: otherKey()}); err != nil {
		t.Fatal(err)
	}
	set := s.KeySet()
	p.set.Store(&set)
	now = now.Add(6 * time.Second)
	if why := take(otherKey(), "two"); why != "" || p.fetches.Load() != 2 {
		t.Errorf("after a rotation it is %q, and they are fetched %d times", why, p.fetches.Load())
	}
	now = now.Add(6 * time.Second)
	p.down.Store(true)
	if why := take(otherKey(), "three"); why != client.KeysUnreachable {
		t.Errorf("of a service that is down it says %q", why)
	}
	if why := take(aKey(), "one"); why != "" {
		t.Errorf("keys are lost while the service is down: %q", why)
	}
	if take(otherKey(), "three"); p.fetches.Load() != 3 {
		t.Error("a service that is down is asked at once again")
	}
	now = now.Add(2 * time.Second)
	p.down.Store(false)
	if why := take(otherKey(), "three"); why != client.UnknownKey || p.fetches.Load() != 4 {
		t.Errorf("of a service that is back it says %q", why)
	}
}

func TestWeakAndForeignKeysAreRefused_D99(t *testing.T) {
	t.Parallel()
	keys, err := client.ParseKeys([]byte(`{"keys":[7,{"kty":"EC","kid":"a"},{"kty":"RSA","kid":"b","n":"AQAB","e":"AQAB"},
		{"kty":"RSA","kid":"c","use":"enc","n":"` + strings.Repeat("_", 400) + `","e":"AQAB"}, {"kty":"RSA","kid":"d","n":"` + strings.Repeat("_", 400) + `","e":"AQAB"}]}`))
	if err != nil || len(keys) != 1 || keys["d"] == nil {
		t.Errorf("%v, %v", keys, err)
	}
	if _, err := client.ParseKeys([]byte("<html>")); err == nil {
		t.Error("HTML is a key set")
	}
}

func TestHandlerStatuses_D99(t *testing.T) {
	t.Parallel()
	now := noon
	r := receiver(t, publish(t), &now)
	var events []client.Event
	handler := r.Handler(func(_ context.Context, w client.Webhook) error {
		events = append(events, w.Event)
		if w.JTI == "fails" {
			return errors.New("no room")
		}
		return nil
	})
	for _, c := range []struct {
		method, body string
		want         int
		says         client.Reason
	}{
		{"POST", webhook(aKey(), "one", nil), 204, ""},
		{"POST", webhook(aKey(), "one", nil), 409, client.Replayed},
		{"POST", webhook(aKey(), "one", map[string]any{"jti": "2", "event": "ping", "data": map[string]any{}}) + "\n", 204, ""},
		{"POST", webhook(aKey(), "one", map[string]any{"jti": "3", "event": "brand.new", "data": map[string]any{"x": 1}}), 204, ""},
		{"POST", webhook(aKey(), "one", map[string]any{"jti": "fails"}), 500, ""},
		{"POST", webhook(aKey(), "one", map[string]any{"jti": "4", "tenantId": "oak-lane"}), 400, client.WrongTenant},
		{"POST", webhook(aKey(), "one", map[string]any{"jti": "4", "data": nil}), 400, client.BadClaims},
		{"POST", webhook(aKey(), "one", map[string]any{"jti": "4", "data": map[string]any{"patientId": 7}}), 400, client.BadClaims},
		{"POST", webhook(otherKey(), "one", map[string]any{"jti": "4"}), 400, client.BadSignature},
		{"POST", strings.Repeat("a", 64<<10+1), 413, ""},
		{"POST", "", 400, client.Malformed},
		{"GET", "", 405, ""},
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(c.method, "/", strings.NewReader(c.body)))
		if w.Code != c.want || w.Body.String() != string(c.says) {
			t.Errorf("%s %.80s is answered %d %q, not %d %q", c.method, c.body, w.Code, w.Body, c.want, c.says)
		}
	}
	if len(events) != 4 {
		t.Fatalf("handled: %v", events)
	}
	opened, _ := events[0].(*client.RecordOpened)
	_, isPing := events[1].(*client.Ping)
	other, _ := events[2].(*client.Other)
	if opened == nil || opened.PatientID != "p-1" || opened.UserName != nil || !isPing || other == nil || string(other.Data) != `{"x":1}` {
		t.Errorf("handled: %+v", events)
	}
}

func TestRefusalIsLogged(t *testing.T) { //nolint:paralleltest // it sets the default logger
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	now := noon
	handler := receiver(t, publish(t), &now).Handler(func(context.Context, client.Webhook) error { return nil })
	for _, body := range []string{webhook(aKey(), "one", map[string]any{"tenantId": "oak-lane"}), webhook(aKey(), strings.Repeat("k", 1000), nil)} {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "level=WARN") || !strings.Contains(lines[0], "wrong-tenant") || !strings.Contains(lines[0], "oak-lane") {
		t.Fatalf("it logs %q", lines)
	}
	if !strings.Contains(lines[1], "unknown-key") || len(lines[1]) > 500 {
		t.Errorf("a stranger writes %d bytes into the log: %s", len(lines[1]), lines[1])
	}
	log.Reset()
	refuse := func() {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", strings.NewReader("hello")))
	}
	for range 100 {
		refuse()
	}
	now = now.Add(time.Minute)
	refuse()
	if lines := strings.Split(strings.TrimSpace(log.String()), "\n"); len(lines) != 2 || !strings.Contains(lines[1], "unlogged=99") {
		t.Errorf("of a reason, it logs %q", lines)
	}
}
