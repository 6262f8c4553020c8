package conformance_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/go-jose/go-jose/v4"

	"frontdesk/adapters/clock"
)

// standIn is a receiver whose parts can be spoilt one by one. rightReceiver makes one
// in which nothing is.
type standIn struct {
	keySetURL            string
	asksOnce, asksAlways bool

	signature func(standInToken) bool
	also      func(*standIn, standInToken) bool // other tokens that it accepts; nil for none
	issuer    func(any) bool
	fresh     func(claims map[string]any) bool
	kinds     []string // that it knows; nil for all
	before    func(context.Context)

	refusal, malformed, again int  // statuses
	forgets, hasty            bool // processes twice; processes refused ones
	late                      bool // reports its count late
	told                      int
	uncounted                 bool // does not report its count
	bars, barred              bool // stops answering once it has refused one of alg none

	mu        sync.Mutex
	keys      jose.JSONWebKeySet
	asked     bool
	seen      map[string]bool
	processed int
}

func rightReceiver(keySetURL string) *standIn {
	return &standIn{
		keySetURL: keySetURL, signature: rightlySigned, seen: map[string]bool{},
		issuer: func(iss any) bool { return iss == "service" },
		fresh: func(c map[string]any) bool {
			exp, ok := c["exp"].(float64)
			return ok && clock.System().Unix() < int64(exp)
		},
		refusal: http.StatusBadRequest, malformed: http.StatusBadRequest, again: http.StatusOK,
	}
}

// standInToken is a webhook that is taken apart.
type standInToken struct {
	header    map[string]any
	claims    map[string]any
	input     string
	signature []byte
	key       *rsa.PublicKey // of its kid; nil if unknown
	ownKey    json.RawMessage
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/processed" && s.uncounted {
		http.NotFound(w, r)
		return
	}
	if r.URL.Path == "/processed" {
		if !s.late {
			s.told = s.processed
		}
		fmt.Fprintln(w, s.told)
		s.told = s.processed
		return
	}
	body, _ := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	if s.before != nil {
		s.before(r.Context())
	}
	if s.hasty {
		s.processed++
	}
	w.WriteHeader(s.take(string(body)))
}

// take returns the status for a body.
func (s *standIn) take(body string) int {
	token, ok := s.read(body)
	s.barred = s.barred || s.bars && token.header["alg"] == "none"
	switch {
	case s.barred:
		return http.StatusTooManyRequests
	case !ok:
		return s.malformed
	case !s.believes(token):
		return s.refusal
	}
	jti, _ := token.claims["jti"].(string)
	if s.seen[jti] && !s.forgets {
		return s.again
	}
	s.seen[jti] = true
	if !s.hasty {
		s.processed++
	}
	return http.StatusAccepted
}

func (s *standIn) read(body string) (t standInToken, ok bool) {
	parts := strings.Split(body, ".")
	if len(parts) != 3 {
		return t, false
	}
	header, _ := base64.RawURLEncoding.DecodeString(parts[0])
	claims, _ := base64.RawURLEncoding.DecodeString(parts[1])
	if json.Unmarshal(header, &t.header) != nil || json.Unmarshal(claims, &t.claims) != nil {
		return t, false
	}
	t.signature, _ = base64.RawURLEncoding.DecodeString(parts[2])
	t.input = parts[0] + "." + parts[1]
	t.ownKey, _ = json.Marshal(t.header["jwk"])
	kid, _ := t.header["kid"].(string)
	t.key = s.key(kid)
	return t, true
}

func (s *standIn) believes(t standInToken) bool {
	if kind, _ := t.claims["event"].(string); s.kinds != nil && !slices.Contains(s.kinds, kind) {
		return false
	}
	signed := s.signature(t) || s.also != nil && s.also(s, t)
	return signed && s.issuer(t.claims["iss"]) && s.fresh(t.claims)
}

func (s *standIn) key(kid string) *rsa.PublicKey {
	if s.asksAlways || len(s.keys.Key(kid)) == 0 && (!s.asksOnce || !s.asked) {
		s.ask()
	}
	if found := s.keys.Key(kid); len(found) == 1 {
		key, _ := found[0].Key.(*rsa.PublicKey)
		return key
	}
	return nil
}

// ask keeps the known keys if no new ones are available, unless it asks each time.
func (s *standIn) ask() {
	s.asked = true
	if s.asksAlways {
		s.keys = jose.JSONWebKeySet{}
	}
	response, err := http.Get(s.keySetURL)
	if err != nil {
		return
	}
	defer response.Body.Close()
	var set jose.JSONWebKeySet
	if response.StatusCode == http.StatusOK && json.NewDecoder(response.Body).Decode(&set) == nil {
		s.keys = set
	}
}

func rightlySigned(t standInToken) bool {
	digest := sha256.Sum256([]byte(t.input))
	return t.header["alg"] == "RS256" && t.key != nil && rsa.VerifyPKCS1v15(t.key, crypto.SHA256, digest[:], t.signature) == nil
}

func takesNone(_ *standIn, t standInToken) bool { return t.header["alg"] == "none" }

func takesNoneInCapitals(_ *standIn, t standInToken) bool { return t.header["alg"] == "None" }

func takesHMAC(_ *standIn, t standInToken) bool {
	return isHMAC(t, func(text []byte) []byte { return text })
}

func takesTrimmedHMAC(_ *standIn, t standInToken) bool { return isHMAC(t, bytes.TrimSpace) }

// takesJKU takes its keys from the URL in a webhook.
func takesJKU(s *standIn, t standInToken) bool {
	from, _ := t.header["jku"].(string)
	if from == "" {
		return false
	}
	others := &standIn{keySetURL: from}
	kid, _ := t.header["kid"].(string)
	t.key = others.key(kid)
	return rightlySigned(t)
}

func isHMAC(t standInToken, form func(text []byte) []byte) bool {
	if t.key == nil || t.header["alg"] != "HS256" {
		return false
	}
	der, _ := x509.MarshalPKIXPublicKey(t.key)
	mac := hmac.New(sha256.New, form(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})))
	_, _ = io.Copy(mac, bytes.NewReader([]byte(t.input)))
	return hmac.Equal(mac.Sum(nil), t.signature)
}

func takesRS512(_ *standIn, t standInToken) bool {
	digest := sha512.Sum512([]byte(t.input))
	return t.header["alg"] == "RS512" && t.key != nil && rsa.VerifyPKCS1v15(t.key, crypto.SHA512, digest[:], t.signature) == nil
}

func takesOwnKey(_ *standIn, t standInToken) bool {
	var own jose.JSONWebKey
	if own.UnmarshalJSON(t.ownKey) != nil {
		return false
	}
	t.key, _ = own.Key.(*rsa.PublicKey)
	return rightlySigned(t)
}
