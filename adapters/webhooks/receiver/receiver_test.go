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
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"frontdesk.example/client"

	"frontdesk/adapters/webhooks/receiver"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// service signs webhooks with go-jose and publishes keys, so that the client verifies
// signatures of another library.
type service struct {
	keys   map[string]*rsa.PrivateKey
	server *httptest.Server
}

func newService(t *testing.T, kids ...string) *service {
	s := &service{keys: map[string]*rsa.PrivateKey{}}
	for _, kid := range kids {
		s.publish(t, kid)
	}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
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

func (s *service) verifier(t *testing.T) *client.Verifier {
	t.Helper()
	v, err := client.NewVerifier(client.VerifierOptions{JWKSURL: s.server.URL, Now: atNoon})
	if err != nil {
		t.Fatal(err)
	}
	return v
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
		want  client.Reason
	}{
		"good":             {good, ""},
		"no token":         {"hello", client.Malformed},
		"HMAC":             {sign(t, jose.HS256, secret, "a", claims()), client.Malformed},
		"PSS":              {sign(t, jose.PS256, s.keys["a"], "a", claims()), client.Malformed},
		"stranger's":       {sign(t, jose.RS256, stranger, "a", claims()), client.BadSignature},
		"unknown kid":      {sign(t, jose.RS256, s.keys["a"], "b", claims()), client.UnknownKey},
		"no kid":           {sign(t, jose.RS256, s.keys["a"], "", claims()), client.UnknownKey},
		"changed":          {good[:len(good)-8] + "AAAAAAAA", client.BadSignature},
		"another issuer":   {sign(t, jose.RS256, s.keys["a"], "a", with("iss", "somebody")), client.WrongIssuer},
		"expired":          {sign(t, jose.RS256, s.keys["a"], "a", with("exp", noon.Unix())), client.Expired},
		"exp is no time":   {sign(t, jose.RS256, s.keys["a"], "a", with("exp", "tomorrow")), client.BadClaims},
		"without an event": {sign(t, jose.RS256, s.keys["a"], "a", with("event", "")), client.BadClaims},
	} {
		webhook, err := s.verifier(t).Verify(t.Context(), c.token)
		if c.want == "" {
			if err != nil || webhook.Event.Kind() != "record.opened" || webhook.TenantID != "elm-street" || webhook.KID != "a" || string(webhook.Data) != `{"patientId":"x"}` {
				t.Errorf("%s: %+v, %v", name, webhook, err)
			}
			continue
		}
		if why, ok := errors.AsType[*client.WebhookError](err); !ok || why.Reason != c.want || webhook.Claims != nil {
			t.Errorf("%s: %v, want %v; %s", name, err, c.want, webhook.Claims)
		}
	}
}

func TestTheReceiverAnswers(t *testing.T) {
	t.Parallel()
	s := newService(t, "a")
	good := sign(t, jose.RS256, s.keys["a"], "a", claims())
	var journal bytes.Buffer
	refused := 0
	handler := receiver.Handler{
		Verifier: s.verifier(t), Received: (&receiver.JSONLines{Out: &journal, Now: atNoon}).Write,
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
