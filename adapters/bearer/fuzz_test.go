package bearer_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/bearer/bearertest"
)

// FuzzParse looks for a token that makes Parse panic, for an accepted token whose text
// could be another, and for a refusal without an explanation.
func FuzzParse(f *testing.F) {
	right := app.Sign([]byte(rightHeader), []byte(rightClaims))
	f.Add(right)
	f.Add(right + "\n")
	f.Add(right[:len(right)-1] + "B")
	f.Add(strings.Replace(right, ".", "..", 1))
	f.Add(app.Token(noon, claim("act", bearertest.Act()), claim("nbf", 1.8e9)))
	f.Add(app.Token(noon, as("ann"), header("jwk", bearertest.JWK("x", &app.Key.PublicKey))))
	f.Add(app.Sign([]byte(rightHeader), []byte(strings.Replace(rightClaims, "1800000060", "180000006000e-2", 1))))
	f.Fuzz(func(t *testing.T, text string) {
		token, err := bearer.Parse(text, noon)
		if err != nil {
			if len(err.Error()) < len("unauthorized: ") {
				t.Errorf("the refusal says nothing: %v", err)
			}
			return
		}
		if token.Issuer == "" || token.Subject == "" {
			t.Error("accepted without an issuer or a subject")
		}
		for i, part := range strings.Split(text, ".") {
			data, err := base64.RawURLEncoding.DecodeString(part)
			if err != nil || base64.RawURLEncoding.EncodeToString(data) != part {
				t.Errorf("part %d could be written in another way: %v", i, err)
			}
		}
	})
}

// FuzzParseParts covers the JSON inside, which FuzzParse rarely reaches.
func FuzzParseParts(f *testing.F) {
	f.Add([]byte(rightHeader), []byte(rightClaims))
	f.Add([]byte(rightHeader), []byte(`{"iss":"a","sub":"b","azp":"a","iat":1.8e9,"exp":1800000060.0,"nbf":0}`))
	f.Add([]byte(`{"alg":"RS256","typ":"JWT","kid":"k","x5c":["AQ=="],"nonce":"n"}`), []byte(`{"iss":"a","sub":"a","iat":18e8,"exp":18e8,"act":{"practitioner":{"name":"A","email":"a@b","gmc_number":null},"organisation":{"name":"B"}}}`))
	f.Fuzz(func(t *testing.T, header, claims []byte) {
		encode := base64.RawURLEncoding.EncodeToString
		token, err := bearer.Parse(encode(header)+"."+encode(claims)+".AA", noon)
		if err == nil && token.Mode() == "user-restricted" && token.Act != nil {
			t.Error("act on a user-restricted token")
		}
		if err == nil {
			later(t, header, claims)
		}
	})
}

// later checks an accepted token when every token of a minute has expired.
func later(t *testing.T, header, claims []byte) {
	t.Helper()
	encode := base64.RawURLEncoding.EncodeToString
	_, err := bearer.Parse(encode(header)+"."+encode(claims)+".AA", noon.Add(3*time.Minute+time.Nanosecond))
	if err == nil {
		t.Error("accepted after three minutes")
	}
}

// FuzzReadKeySet looks for a document that makes ReadKeySet panic, and for keys outside
// the limits.
func FuzzReadKeySet(f *testing.F) {
	f.Add(app.JWKS())
	f.Add([]byte(`{"keys":[{"kty":"EC"},{"kty":"RSA","kid":"a","n":"AQ","e":"AQAB"}]}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		keys, err := bearer.ReadKeySet(document)
		if (err == nil) != (keys.Len() > 0) || keys.Len() > 100 {
			t.Errorf("%d keys, %v", keys.Len(), err)
		}
	})
}
