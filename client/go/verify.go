package client

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// A Reason is the reason of a refused webhook.
type Reason string

// The reasons.
const (
	Malformed       Reason = "malformed"
	UnknownKey      Reason = "unknown-key"
	BadSignature    Reason = "bad-signature"
	WrongIssuer     Reason = "wrong-issuer"
	Expired         Reason = "expired"
	BadClaims       Reason = "bad-claims"
	WrongTenant     Reason = "wrong-tenant"
	Replayed        Reason = "replayed"
	KeysUnreachable Reason = "keys-unreachable"
)

// meanings continue a sentence about the webhook.
var meanings = map[Reason]string{
	Malformed:       "it is not a JWT signed with RS256",
	UnknownKey:      "no published key has its kid",
	BadSignature:    "its signature does not hold",
	WrongIssuer:     `its iss is not "service"`,
	Expired:         "it has expired",
	BadClaims:       "its claims are not those of a webhook",
	WrongTenant:     "it comes from a practice that is not served here",
	Replayed:        "it was received before",
	KeysUnreachable: "the service's keys cannot be fetched",
}

// A WebhookError refuses a webhook. Its text continues a sentence about the webhook, such as "it
// has expired at 2027-01-15T08:01:00Z".
type WebhookError struct {
	Reason Reason
	Err    error // the cause, or nil

	detail string // follows the meaning of the reason
}

func (e *WebhookError) Error() string { return meanings[e.Reason] + e.detail }

// Unwrap returns the cause.
func (e *WebhookError) Unwrap() error { return e.Err }

// refuse returns a refusal with a detail after the meaning.
func refuse(reason Reason, format string, arguments ...any) *WebhookError {
	detail := fmt.Errorf(format, arguments...)
	return &WebhookError{reason, errors.Unwrap(detail), detail.Error()}
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

// ParseKeys parses a JWK set. It skips keys that cannot verify webhooks.
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
	input     string // the signed part
	claims    []byte
	signature []byte
}

// split parses a token, and accepts only RS256.
func split(token string) (signed signedText, err error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return signed, refuse(Malformed, ": a JWT has three parts")
	}
	var texts [3][]byte
	for i, part := range parts {
		if texts[i], err = decode(part); err != nil {
			return signed, refuse(Malformed, ": part %d is not base64url", i+1)
		}
	}
	var header struct {
		Alg  string          `json:"alg"`
		KID  string          `json:"kid"`
		Crit json.RawMessage `json:"crit"`
	}
	if err := json.Unmarshal(texts[0], &header); err != nil {
		return signed, refuse(Malformed, ": the header is no JSON object")
	}
	if header.Alg != "RS256" || header.Crit != nil {
		return signed, refuse(Malformed, ": alg must be RS256, without crit")
	}
	return signedText{header.KID, parts[0] + "." + parts[1], texts[1], texts[2]}, nil
}

// Verify returns a webhook's content, or a [WebhookError] if it is not genuine or has expired at
// this time (§6.5). It does not fetch keys: a [Verifier] does.
func Verify(token string, keys Keys, now time.Time) (Webhook, error) {
	signed, err := split(token)
	if err != nil {
		return Webhook{}, err
	}
	return signed.verify(keys, now)
}

func (s signedText) verify(keys Keys, now time.Time) (Webhook, error) {
	key, known := keys[s.kid]
	if !known {
		return Webhook{}, refuse(UnknownKey, ": %.100q", s.kid)
	}
	digest := sha256.Sum256([]byte(s.input))
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], s.signature) != nil {
		return Webhook{}, &WebhookError{Reason: BadSignature}
	}
	webhook, err := readWebhook(s.claims, now)
	if err != nil {
		return Webhook{}, err
	}
	webhook.KID, webhook.Claims = s.kid, s.claims
	return webhook, nil
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
		return Webhook{}, refuse(BadClaims, ": %w", err)
	}
	if claims.Issuer != "service" {
		return Webhook{}, refuse(WrongIssuer, ": %.100q", claims.Issuer)
	}
	if claims.IssuedAt == nil || claims.Expiry == nil || claims.ID == "" || claims.Event == "" || claims.TenantID == "" || len(claims.Data) == 0 || claims.Data[0] != '{' {
		return Webhook{}, refuse(BadClaims, ": a claim is missing")
	}
	expires := instant(*claims.Expiry)
	if !now.Before(expires) {
		return Webhook{}, refuse(Expired, " at %s", expires.Format(time.RFC3339))
	}
	event, err := newEvent(claims.Event, claims.Data)
	if err != nil {
		return Webhook{}, refuse(BadClaims, ": data: %w", err)
	}
	return Webhook{
		JTI: claims.ID, TenantID: claims.TenantID, IssuedAt: instant(*claims.IssuedAt), Expires: expires, Event: event, Data: claims.Data,
	}, nil
}

func instant(seconds float64) time.Time { return time.UnixMilli(int64(seconds * 1000)).UTC() }
