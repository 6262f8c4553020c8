package conformance

import (
	"bytes"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"time"

	"github.com/go-jose/go-jose/v4"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// webhook is a webhook before its signature, with its faults.
type webhook struct {
	header, claims map[string]any
	signature      func(k signingKey, input []byte) []byte
}

// members are the members of a JSON object.
type members = map[string]any

// Tenant is the practice that the webhooks come from. A right receiver accepts only webhooks
// of the practices that its application serves, which in development is the sandbox's.
const Tenant = "sandbox"

// newWebhook is right in every way (§6.4).
func newWebhook(at time.Time, kind application.WebhookEvent, data members) *webhook {
	now := at.Unix()
	return &webhook{
		header: members{"alg": "RS256", "typ": "JWT"},
		claims: members{
			"iss": "service", "iat": now, "exp": now + 60, "jti": event.NewID().String(),
			"event": kind, "tenantId": Tenant, "data": data,
		},
		signature: rs256,
	}
}

// recordOpened is a right webhook of one kind, for checks in which the kind does not
// matter.
func recordOpened(at time.Time) *webhook {
	return newWebhook(at, application.RecordOpened, members{"patientId": newID(), "userName": "Dr Ann Lee", "userEmail": "ann@example.org"})
}

// eachKind returns a right webhook of each kind, with and without nullable values (§6.2).
func eachKind(at time.Time) map[string]*webhook {
	return map[string]*webhook{
		"record.opened":                    recordOpened(at),
		"record.opened by an unnamed user": newWebhook(at, application.RecordOpened, unnamed()),
		"consultation.started":             newWebhook(at, application.ConsultationStarted, unnamed()),
		"callin.notification.shown": newWebhook(at, application.CallInShown, members{
			"appointmentId": newID(), "patientName": "Ann Archer", "roomName": nil, "siteId": newID(), "siteName": "Main Street", "calledInAt": at.UTC(),
		}),
		"callin.notification.removed": newWebhook(at, application.CallInRemoved, members{
			"appointmentId": newID(), "siteId": newID(), "removedAt": at.UTC(),
		}),
		"request.replied":                      newWebhook(at, application.RequestReplied, members{"patientRequestId": newID()}),
		"ping, with which webhooks are tested": newWebhook(at, application.Ping, members{}),
	}
}

func unnamed() members { return members{"patientId": newID(), "userName": nil, "userEmail": nil} }

func newID() string { return event.NewID().String() }

// with sets a claim; a nil value removes it.
func (w *webhook) with(claim string, value any) *webhook {
	w.claims[claim] = value
	if value == nil {
		delete(w.claims, claim)
	}
	return w
}

// head sets a member of the header.
func (w *webhook) head(name string, value any) *webhook {
	w.header[name] = value
	return w
}

// signedBy signs the webhook by another rule.
func (w *webhook) signedBy(alg string, rule func(signingKey, []byte) []byte) *webhook {
	w.signature = rule
	return w.head("alg", alg)
}

// token returns the webhook's body, signed with a key. Its header names the key, unless it
// names another already.
func (w *webhook) token(k signingKey) string {
	if _, named := w.header["kid"]; !named {
		w.header["kid"] = k.kid
	}
	input := part(w.header) + "." + part(w.claims)
	return input + "." + base64.RawURLEncoding.EncodeToString(w.signature(k, []byte(input)))
}

func part(of members) string {
	text, err := json.Marshal(of)
	if err != nil {
		panic(err) // a table of checks holds invalid JSON
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

func rs256(k signingKey, input []byte) []byte {
	digest := sha256.Sum256(input)
	return signed(rsa.SignPKCS1v15(nil, k.key, crypto.SHA256, digest[:]))
}

func rs512(k signingKey, input []byte) []byte {
	digest := sha512.Sum512(input)
	return signed(rsa.SignPKCS1v15(nil, k.key, crypto.SHA512, digest[:]))
}

func ps256(k signingKey, input []byte) []byte {
	digest := sha256.Sum256(input)
	return signed(rsa.SignPSS(rand.Reader, k.key, crypto.SHA256, digest[:], nil))
}

func signed(signature []byte, err error) []byte {
	if err != nil {
		panic(err) // the keys of this package are long enough for every hash
	}
	return signature
}

func unsigned(signingKey, []byte) []byte { return nil }

// hs256 is accepted by a careless receiver: an HMAC whose secret is public.
func hs256(secret []byte) func(signingKey, []byte) []byte {
	return func(_ signingKey, input []byte) []byte {
		mac := hmac.New(sha256.New, secret)
		_, _ = mac.Write(input) // never fails
		return mac.Sum(nil)
	}
}

// secrets are the forms in which libraries hold the public half of a key.
func secrets(k signingKey) [][]byte {
	der := signed(x509.MarshalPKIXPublicKey(k.key.Public()))
	text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	short := x509.MarshalPKCS1PublicKey(&k.key.PublicKey)
	return [][]byte{text, bytes.TrimSpace(text), der, pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: short}), short}
}

// tampered has other content than the signed one.
func tampered(at time.Time, k signingKey) string {
	right := recordOpened(at).head("kid", k.kid)
	other := recordOpened(at).head("kid", k.kid)
	other.signature = func(k signingKey, _ []byte) []byte {
		return rs256(k, []byte(part(right.header)+"."+part(right.claims)))
	}
	return other.token(k)
}

// forger is an unpublished key, under the name of a published one.
func forger(k signingKey) (signingKey, error) {
	own, err := newKey()
	return signingKey{k.kid, own.key}, err
}

// asJWK is the key as a header can carry it.
func (k signingKey) asJWK() jose.JSONWebKey {
	return jose.JSONWebKey{Key: k.key.Public(), KeyID: k.kid, Algorithm: string(jose.RS256), Use: "sig"}
}
