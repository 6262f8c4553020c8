package receiver_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"frontdesk/adapters/webhooks/receiver"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// service is whoever signs webhooks and publishes keys.
type service struct {
	keys    map[string]*rsa.PrivateKey
	fetches atomic.Int32
	server  *httptest.Server
}

func newService(t *testing.T, kids ...string) *service {
	s := &service{keys: map[string]*rsa.PrivateKey{}}
	for _, kid := range kids {
		s.publish(t, kid)
	}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.fetches.Add(1)
		var set jose.JSONWebKeySet
		for kid, key := range s.keys {
			set.Keys = append(set.Keys, jose.JSONWebKey{Key: key.Public(), KeyID: kid, Algorithm: "RS256", Use: "sig"})
		}
		_ = json.NewEncoder(w).Encode(set)
	}))
	t.Cleanup(s.server.Close)
	return s
}

func (s *service) publish(t *testing.T, kid string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s.keys[kid] = key
}

func claims() map[string]any {
	return map[string]any{"iss": "service", "iat": noon.Unix(), "exp": noon.Unix() + 60, "jti": "0190c7a2-0000-7000-8000-000000000001",
		"event": "record.opened", "tenantId": "elm-street", "data": map[string]any{"patientId": "x"}}
}

func with(name string, value any) map[string]any {
	c := claims()
	c[name] = value
	return c
}

func sign(t *testing.T, alg jose.SignatureAlgorithm, key any, kid string, claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", kid))
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (s *service) verifier(now func() time.Time) *receiver.Verifier {
	return &receiver.Verifier{JWKSURL: s.server.URL, Client: s.server.Client(), Now: now}
}

func atNoon() time.Time { return noon }

func TestAWebhookIsVerified_6_5(t *testing.T) {
	t.Parallel()
	s := newService(t, "a")
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	good := sign(t, jose.RS256, s.keys["a"], "a", claims())
	secret := []byte(strings.Repeat("s", 32))
	for name, c := range map[string]struct {
		token string
		want  error
	}{
		"good":             {good, nil},
		"no token":         {"hello", receiver.ErrMalformed},
		"HMAC":             {sign(t, jose.HS256, secret, "a", claims()), receiver.ErrMalformed},
		"PSS":              {sign(t, jose.PS256, s.keys["a"], "a", claims()), receiver.ErrMalformed},
		"stranger's":       {sign(t, jose.RS256, stranger, "a", claims()), receiver.ErrSignature},
		"unknown kid":      {sign(t, jose.RS256, s.keys["a"], "b", claims()), receiver.ErrUnknownKey},
		"no kid":           {sign(t, jose.RS256, s.keys["a"], "", claims()), receiver.ErrUnknownKey},
		"changed":          {good[:len(good)-8] + "AAAAAAAA", receiver.ErrSignature},
		"another issuer":   {sign(t, jose.RS256, s.keys["a"], "a", with("iss", "somebody")), receiver.ErrIssuer},
		"expired":          {sign(t, jose.RS256, s.keys["a"], "a", with("exp", noon.Unix())), receiver.ErrExpired},
		"exp is no time":   {sign(t, jose.RS256, s.keys["a"], "a", with("exp", "tomorrow")), receiver.ErrClaims},
		"without an event": {sign(t, jose.RS256, s.keys["a"], "a", with("event", "")), receiver.ErrClaims},
	} {
		webhook, err := s.verifier(atNoon).Verify(t.Context(), c.token)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if c.want == nil && (webhook.Event != "record.opened" || webhook.TenantID != "elm-street" || webhook.KID != "a" || string(webhook.Data) != `{"patientId":"x"}`) {
			t.Errorf("%s: %+v", name, webhook)
		}
		if c.want != nil && webhook.Claims != nil {
			t.Errorf("%s: refused, and yet %s", name, webhook.Claims)
		}
	}
}

func TestKeysAreFetchedOnlyForAnUnknownKID_6_5(t *testing.T) {
	t.Parallel()
	s, now := newService(t, "a"), noon
	v := s.verifier(func() time.Time { return now })
	verify := func(kid string, key *rsa.PrivateKey, want error, fetches int32) {
		t.Helper()
		if _, err := v.Verify(t.Context(), sign(t, jose.RS256, key, kid, claims())); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", kid, err, want)
		}
		if got := s.fetches.Load(); got != fetches {
			t.Errorf("%s: %d fetches so far, want %d", kid, got, fetches)
		}
	}
	verify("a", s.keys["a"], nil, 1)
	verify("a", s.keys["a"], nil, 1)
	now = now.Add(2 * time.Second)
	s.publish(t, "b")
	verify("b", s.keys["b"], nil, 2)
	verify("c", s.keys["b"], receiver.ErrUnknownKey, 2) // strangers do not make us fetch for each
	now = now.Add(2 * time.Second)
	verify("c", s.keys["b"], receiver.ErrUnknownKey, 3)
	verify("a", s.keys["a"], nil, 3)
}

func TestAKeySetThatCannotBeFetchedIsSaid(t *testing.T) {
	t.Parallel()
	s := newService(t, "a")
	token := sign(t, jose.RS256, s.keys["a"], "a", claims())
	v := s.verifier(atNoon)
	v.JWKSURL = s.server.URL + "/nowhere"
	s.server.Config.Handler = http.NotFoundHandler()
	if _, err := v.Verify(t.Context(), token); err == nil || !strings.Contains(err.Error(), "status 404") {
		t.Error(err)
	}
	s.server.Close()
	if _, err := v.Verify(t.Context(), token); err == nil {
		t.Error("verified without a key")
	}
}

func TestTheReceiverAnswers(t *testing.T) {
	t.Parallel()
	s := newService(t, "a")
	good := sign(t, jose.RS256, s.keys["a"], "a", claims())
	var journal bytes.Buffer
	refused := 0
	handler := receiver.Handler{
		Verifier: s.verifier(atNoon), Received: (&receiver.Journal{Out: &journal, Now: atNoon}).Write,
		Refused: func(context.Context, error) { refused++ },
	}
	for _, c := range []struct {
		method, media, body string
		want                int
	}{
		{"POST", "application/jwt", good, 202},
		{"POST", "application/jwt; charset=us-ascii", good + "\n", 202},
		{"GET", "application/jwt", good, 405},
		{"POST", "application/json", good, 415},
		{"POST", "", good, 415},
		{"POST", "application/jwt", good + "x", 400},
		{"POST", "application/jwt", strings.Repeat("x", 1<<20), 400},
	} {
		request := httptest.NewRequest(c.method, "/", strings.NewReader(c.body))
		request.Header.Set("Content-Type", c.media)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		if recorder.Code != c.want {
			t.Errorf("%s %s of %d bytes: %d, want %d", c.method, c.media, len(c.body), recorder.Code, c.want)
		}
	}
	if refused != 2 {
		t.Errorf("%d refusals were heard of", refused)
	}
	lines := strings.Split(strings.TrimSpace(journal.String()), "\n")
	var line map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &line); err != nil || len(lines) != 2 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	if line["event"] != "record.opened" || line["kid"] != "a" || line["receivedAt"] != "2026-03-02T12:00:00Z" {
		t.Errorf("the journal says %v", line)
	}
}
