package bearertest

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"time"

	"frontdesk/domain/application"
)

// Application is a registered integrator: an identifier, and the key that signs
// its tokens.
type Application struct {
	ID  application.ID
	Kid string
	Key *rsa.PrivateKey
}

// NewApplication makes an application with the shared [Key].
func NewApplication(id application.ID) Application {
	return Application{ID: id, Kid: "test-key", Key: Key()}
}

// JWKS returns the application's key set.
func (a Application) JWKS() []byte { return KeySet(JWK(a.Kid, &a.Key.PublicKey)) }

// Token returns an application-restricted token that is issued at now and valid for
// a minute. The edits are applied before it is signed.
func (a Application) Token(now time.Time, edits ...Edit) string {
	header := map[string]any{"alg": "RS256", "typ": "JWT", "kid": a.Kid}
	claims := map[string]any{
		"iss": a.ID.String(), "sub": a.ID.String(),
		"iat": now.Unix(), "exp": now.Add(time.Minute).Unix(),
	}
	for _, edit := range edits {
		edit(header, claims)
	}
	return a.Sign(mustMarshal(header), mustMarshal(claims))
}

// Sign signs a header and claims that may be any bytes, because an attacker writes
// bytes that no encoder would.
func (a Application) Sign(header, claims []byte) string {
	input := encode(header) + "." + encode(claims)
	digest := sha256.Sum256([]byte(input))
	signature, err := rsa.SignPKCS1v15(nil, a.Key, crypto.SHA256, digest[:])
	if err != nil {
		panic(err) // the key is too short for SHA-256
	}
	return input + "." + encode(signature)
}

// Edit changes a token before it is signed.
type Edit func(header, claims map[string]any)

// As makes the token user-restricted.
func As(username string) Edit {
	return func(_, claims map[string]any) {
		claims["sub"], claims["azp"] = username, claims["iss"]
	}
}

// Claim sets a claim.
func Claim(name string, value any) Edit {
	return func(_, claims map[string]any) { claims[name] = value }
}

// Without removes a claim.
func Without(name string) Edit {
	return func(_, claims map[string]any) { delete(claims, name) }
}

// Header sets a member of the header.
func Header(name string, value any) Edit {
	return func(header, _ map[string]any) { header[name] = value }
}

// WithoutHeader removes a member of the header.
func WithoutHeader(name string) Edit {
	return func(header, _ map[string]any) { delete(header, name) }
}

// Act returns a complete act claim. A test may change it, and adds it to a token with
// [Claim].
func Act() map[string]any {
	return map[string]any{
		"practitioner": map[string]any{"name": "Dr Ann Lee", "email": "ann@example.org", "gmc_number": "1234567"},
		"organisation": map[string]any{"name": "High Street Practice", "ods_code": "A12345"},
	}
}
