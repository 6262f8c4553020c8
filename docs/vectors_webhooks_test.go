package docs_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"frontdesk.example/client"
	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
)

// webhook is one that is right but for the edits (§6.4).
func webhook(edits ...bearertest.Edit) string {
	header := map[string]any{"alg": "RS256", "typ": "JWT", "kid": service.Kid}
	claims := map[string]any{
		"iss": "service", "iat": noon.Unix(), "exp": noon.Unix() + 60,
		"jti": "01980000-0000-7000-8000-0000000000e1", "event": "record.opened", "tenantId": "elm-street",
		"data": map[string]any{"patientId": "01980000-0000-7000-8000-0000000000f1", "userName": "Dr Ann Lee", "userEmail": "ann@example.org"},
	}
	for _, edit := range edits {
		edit(header, claims)
	}
	return service.Sign(encoded(header), encoded(claims))
}

// freshly makes a webhook one of this minute, for judges with a clock of their
// own.
func freshly(_, claims map[string]any) {
	now := clock.System().Unix()
	claims["iat"], claims["exp"] = now, now+60
}

func encoded(value map[string]any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // a vector is no JSON
	}
	return text
}

func webhookVectors() []webhookVector {
	type data = map[string]any
	removed := data{"appointmentId": "01980000-0000-7000-8000-0000000000a1", "siteId": "01980000-0000-7000-8000-0000000000b1", "removedAt": "2027-01-15T08:00:00.5Z"}
	shown := maps.Clone(removed)
	delete(shown, "removedAt")
	maps.Copy(shown, data{"patientName": "Ann Archer", "roomName": nil, "siteName": "Main Street", "calledInAt": "2027-01-15T08:00:00.5Z"})
	stranger := service
	stranger.Key = bearertest.StrangersKey()

	right := func(name, clause, token string) webhookVector {
		return webhookVector{Name: name, Clause: clause, Token: token, Accepted: true}
	}
	wrong := func(name, clause string, why client.Reason, token string) webhookVector {
		return webhookVector{Name: name, Clause: clause, Token: token, Reason: (&client.WebhookError{Reason: why}).Error()}
	}
	inTime, late := right("in its last second", "§6.5", webhook()), wrong("expired", "§6.5", client.Expired, webhook())
	inTime.Now, late.Now = after(59*time.Second), after(61*time.Second)
	return []webhookVector{
		right("record.opened", "§6.2", webhook()),
		right("by nobody who can be named", "§6.2", webhook(claim("data", data{"patientId": "01980000-0000-7000-8000-0000000000f1", "userName": nil, "userEmail": nil}))),
		right("consultation.started", "§6.2", webhook(claim("event", "consultation.started"))),
		right("callin.notification.shown", "§6.2", webhook(claim("event", "callin.notification.shown"), claim("data", shown))),
		right("callin.notification.removed", "§6.2", webhook(claim("event", "callin.notification.removed"), claim("data", removed))),
		inTime, late,
		wrong("another sender", "§6.5", client.WrongIssuer, webhook(claim("iss", "frontdesk"))),
		wrong("a kid that is not published", "§6.5", client.UnknownKey, webhook(head("kid", "other-key"))),
		wrong("somebody else's signature", "§6.5", client.BadSignature, stranger.Sign([]byte(`{"alg":"RS256","typ":"JWT","kid":"service-key"}`), []byte(`{"iss":"service"}`))),
		wrong("alg none", "§6.4", client.Malformed, unsigned()),
		wrong("alg HS256 with the public key as the secret", "§6.4", client.Malformed, confused()),
		wrong("no jti", "§6.4", client.BadClaims, webhook(without("jti"))),
		wrong("no data", "§6.4", client.BadClaims, webhook(without("data"))),
		wrong("not a token", "§6.4", client.Malformed, "hello"),
	}
}

func unsigned() string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode([]byte(`{"iss":"service"}`)) + "."
}

// confused is a token that a careless receiver takes: it verifies an HMAC with
// the public key, which everybody has.
func confused() string {
	encode := base64.RawURLEncoding.EncodeToString
	input := encode([]byte(`{"alg":"HS256","typ":"JWT","kid":"service-key"}`)) + "." + encode([]byte(`{"iss":"service"}`))
	mac := hmac.New(sha256.New, service.JWKS())
	_, _ = mac.Write([]byte(input)) // never fails
	return input + "." + encode(mac.Sum(nil))
}

// verifier is the client's, at an instant.
func verifier(t *testing.T, jwksURL string, at time.Time) *client.Verifier {
	t.Helper()
	v, err := client.NewVerifier(client.VerifierOptions{JWKSURL: jwksURL, Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTheReceiverAgreesWithTheVectors(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	url := newPublisher(t).publish(string(v.ServiceJWKS))
	for _, vector := range v.Webhooks {
		now := v.Now
		if vector.Now != nil {
			now = *vector.Now
		}
		_, err := verifier(t, url, now).Verify(t.Context(), vector.Token)
		if (err == nil) != vector.Accepted || err != nil && !strings.HasPrefix(err.Error(), vector.Reason) {
			t.Errorf("%s: %v", vector.Name, err)
		}
	}
}
