package bearer_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"strings"
	"testing"

	"frontdesk/adapters/bearer"
)

const (
	// The valid header and claims of an application.
	rightHeader = `{"alg":"RS256","typ":"JWT","kid":"test-key"}`
	rightClaims = `{"iss":"01980000-0000-7000-8000-000000000001","sub":"01980000-0000-7000-8000-000000000001","iat":1800000000,"exp":1800000060}`

	badSignature = "Invalid JWT: the signature check failed for the key that kid names"
)

func b64(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// judge is the full check of a token with the application's own keys.
func judge(token string, keys bearer.KeySet) error {
	parsed, err := bearer.Parse(token, noon)
	if err != nil {
		return err
	}
	return parsed.Verify(keys)
}

// Names in another case are other names (D5): they are ignored, and are no duplicates.
func TestACaseVariantIsAnotherClaim(t *testing.T) {
	t.Parallel()
	claims := strings.TrimSuffix(rightClaims, "}") + `,"EXP":1,"Iss":"x","SUB":null,"Act":[],"AZP":"x"}`
	if err := judge(app.Sign([]byte(rightHeader), []byte(claims)), mustKeys(t, app.JWKS())); err != nil {
		t.Error(err)
	}
}

func TestOnlyTheApplicationsOwnKeyOpens(t *testing.T) {
	t.Parallel()
	keys := mustKeys(t, app.JWKS())
	refused(t, judge(stranger.Token(noon), keys), badSignature)
	refused(t, judge(app.Token(noon, header("kid", "test-key ")), keys), "Invalid JWT: no key with this kid")
	refused(t, judge(app.Token(noon, header("kid", "TEST-KEY")), keys), "Invalid JWT: no key with this kid")
	refused(t, judge(app.Token(noon), bearer.KeySet{}), "Invalid JWT: no key with this kid")
}

// The oldest attack: the public key, which anyone can fetch, as an HMAC secret.
func TestAPublicKeyIsNoSecret(t *testing.T) {
	t.Parallel()
	input := b64(strings.Replace(rightHeader, "RS256", "HS256", 1)) + "." + b64(rightClaims)
	mac := hmac.New(sha256.New, x509.MarshalPKCS1PublicKey(&app.Key.PublicKey))
	mac.Write([]byte(input))
	refused(t, judge(input+"."+b64(string(mac.Sum(nil))), mustKeys(t, app.JWKS())),
		"Invalid JWT: alg in the header must be RS256")
}

// A webhook's token (§6.4) goes to every application, and must not be usable to call
// us.
func TestWebhookTokenIsNoBearerToken(t *testing.T) {
	t.Parallel()
	_, err := bearer.Parse(app.Token(noon, claim("iss", "service"), without("sub"),
		claim("event", "record.opened"), claim("tenantId", "high-street"), claim("data", map[string]any{})), noon)
	refused(t, err, "JWT is missing the sub claim")
}
