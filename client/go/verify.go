package client

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// A Reason is why a webhook is not to be believed.
type Reason string

// The reasons.
const (
	Malformed       Reason = "malformed"        // it is no JWT that is signed RS256
	UnknownKey      Reason = "unknown-key"      // the service publishes no such key
	BadSignature    Reason = "bad-signature"    // somebody else has signed it
	WrongIssuer     Reason = "wrong-issuer"     // another than the service
	Expired         Reason = "expired"          // it is more than a minute old
	BadClaims       Reason = "bad-claims"       // something is missing or of another form
	WrongTenant     Reason = "wrong-tenant"     // it is another practice's
	Replayed        Reason = "replayed"         // it was received before
	KeysUnreachable Reason = "keys-unreachable" // the service's keys could not be fetched
)

// A WebhookError says why a webhook is not to be believed.
type WebhookError struct {
	Reason Reason
	Err    error // more about it, or nil
}

func (e *WebhookError) Error() string {
	if e.Err == nil {
		return "webhook not to be believed: " + string(e.Reason)
	}
	return fmt.Sprintf("webhook not to be believed: %s: %v", e.Reason, e.Err)
}

// Unwrap is more about the reason.
func (e *WebhookError) Unwrap() error { return e.Err }

func unbelieved(reason Reason, format string, arguments ...any) error {
	return &WebhookError{reason, fmt.Errorf(format, arguments...)}
}

// Keys are the service's public keys by their kid.
type Keys map[string]*rsa.PublicKey

type keySet struct {
	Keys []jwk `json:"keys"`
}

type jwk struct {
	KTY string `json:"kty"`
	Use string `json:"use,omitempty"`
	Alg string `json:"alg,omitempty"`
	KID string `json:"kid"`
	N   string `json:"n"`
	E   string `json:"e"`
}

// ParseKeys reads a JWK set. Keys that cannot check webhooks are passed over.
func ParseKeys(set []byte) (Keys, error) {
	var found struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(set, &found); err != nil {
		return nil, fmt.Errorf("parse key set: %w", err)
	}
	keys := Keys{}
	for _, text := range found.Keys {
		var key jwk
		if json.Unmarshal(text, &key) != nil {
			continue
		}
		if public := key.public(); public != nil {
			keys[key.KID] = public
		}
	}
	return keys, nil
}

func (k jwk) public() *rsa.PublicKey {
	if k.KTY != "RSA" || k.KID == "" || k.Use != "" && k.Use != "sig" || k.Alg != "" && k.Alg != "RS256" {
		return nil
	}
	n, err := decode(k.N)
	e, errE := decode(k.E)
	exponent := new(big.Int).SetBytes(e)
	if err != nil || errE != nil || !exponent.IsInt64() || exponent.Int64() > 1<<31-1 {
		return nil
	}
	public := &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(exponent.Int64())}
	if public.N.BitLen() < leastBits || public.E < 3 {
		return nil
	}
	return public
}

var decode = base64.RawURLEncoding.Strict().DecodeString

// signedText is a token in its parts.
type signedText struct {
	kid       string
	input     string // what is signed
	claims    []byte
	signature []byte
}

// split takes a token apart, and allows nothing but RS256.
func split(token string) (signed signedText, err error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return signed, unbelieved(Malformed, "a JWT has three parts")
	}
	var texts [3][]byte
	for i, part := range parts {
		if texts[i], err = decode(part); err != nil {
			return signed, unbelieved(Malformed, "part %d is not base64url", i+1)
		}
	}
	var header struct {
		Alg  string          `json:"alg"`
		KID  string          `json:"kid"`
		Crit json.RawMessage `json:"crit"`
	}
	if err := json.Unmarshal(texts[0], &header); err != nil {
		return signed, unbelieved(Malformed, "the header is no JSON object")
	}
	if header.Alg != "RS256" || header.Crit != nil {
		return signed, unbelieved(Malformed, "alg must be RS256, without crit")
	}
	return signedText{header.KID, parts[0] + "." + parts[1], texts[1], texts[2]}, nil
}

// Verify returns a webhook's content, or a [WebhookError] if it must not be believed at this
// time (§6.5). It remembers nothing, and knows no practices: a [Receiver] does.
func Verify(token string, keys Keys, now time.Time) (Webhook, error) {
	signed, err := split(token)
	if err != nil {
		return Webhook{}, err
	}
	key, known := keys[signed.kid]
	if !known {
		return Webhook{}, unbelieved(UnknownKey, "the service has no key %q", signed.kid)
	}
	digest := sha256.Sum256([]byte(signed.input))
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signed.signature) != nil {
		return Webhook{}, &WebhookError{Reason: BadSignature}
	}
	return readWebhook(signed.claims, now)
}

func readWebhook(text []byte, now time.Time) (Webhook, error) {
	var claims struct {
		Issuer   string          `json:"iss"`
		IssuedAt *float64        `json:"iat"`
		Expiry   *float64        `json:"exp"`
		ID       string          `json:"jti"`
		Event    string          `json:"event"`
		TenantID string          `json:"tenantId"`
		Data     json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(text, &claims); err != nil {
		return Webhook{}, unbelieved(BadClaims, "%w", err)
	}
	if claims.Issuer != "service" {
		return Webhook{}, unbelieved(WrongIssuer, "iss is %q", claims.Issuer)
	}
	if claims.IssuedAt == nil || claims.Expiry == nil || claims.ID == "" || claims.Event == "" || claims.TenantID == "" || len(claims.Data) == 0 || claims.Data[0] != '{' {
		return Webhook{}, unbelieved(BadClaims, "a claim is missing")
	}
	expires := instant(*claims.Expiry)
	if !now.Before(expires) {
		return Webhook{}, unbelieved(Expired, "at %s; is this clock right?", expires.Format(time.RFC3339))
	}
	event, err := newEvent(claims.Event, claims.Data)
	if err != nil {
		return Webhook{}, unbelieved(BadClaims, "data: %w", err)
	}
	return Webhook{claims.ID, claims.TenantID, instant(*claims.IssuedAt), expires, event}, nil
}

func instant(seconds float64) time.Time { return time.UnixMilli(int64(seconds * 1000)).UTC() }
