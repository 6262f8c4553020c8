package bearer

import (
	"crypto/sha256"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// Token is a token that has passed every check that needs no key. Until
// [Token.Verify] has found its signature right, it may be forged and is good only
// for looking things up.
type Token struct {
	Issuer  string            // iss: the application
	Subject string            // sub: the application again, or a username
	Act     *event.OnBehalfOf // nil if there is no act claim
	Hash    [sha256.Size]byte // SHA-256 of the token's text

	kid string
	jws *jose.JSONWebSignature
}

// algorithms are the algorithms that a token may be signed with.
var algorithms = []jose.SignatureAlgorithm{jose.RS256}

// Parse judges everything about a token that can be judged without a key, so that
// junk costs no query and no fetch. Its error is a [*Refusal].
func Parse(token string, now time.Time) (Token, error) {
	parts, err := split(token)
	if err != nil {
		return Token{}, err
	}
	var h header
	if err := section("header", parts.header, &h); err != nil {
		return Token{}, err
	}
	kid, err := h.check()
	if err != nil {
		return Token{}, err
	}
	parsed, err := parseClaims(parts.claims, instantOf(now))
	if err != nil {
		return Token{}, err
	}
	parsed.kid = kid
	parsed.Hash = sha256.Sum256([]byte(token))
	// go-jose also reads header members that we ignore, and refuses those that are
	// not well formed. Its errors quote the token, so they are not passed on.
	if parsed.jws, err = jose.ParseSignedCompact(token, algorithms); err != nil {
		return Token{}, errHeader
	}
	return parsed, nil
}

func parseClaims(raw []byte, now instant) (Token, error) {
	c, err := readClaims(raw)
	if err != nil {
		return Token{}, err
	}
	if err := c.check(now); err != nil {
		return Token{}, err
	}
	act, err := c.readAct()
	return Token{Issuer: c.iss, Subject: c.sub, Act: act}, err
}

// Verify checks the signature with the one key that the token's kid names. Its
// error is a [*Refusal]. go-jose gets that key alone, because it would choose from
// a set by rules of its own.
func (t Token) Verify(keys KeySet) error {
	key, known := keys.byKid[t.kid]
	if !known {
		return errUnknownKey
	}
	if _, err := t.jws.Verify(key); err != nil {
		return errSignature
	}
	return nil
}

// Mode returns the mode of the call.
func (t Token) Mode() application.Mode {
	if t.Subject == t.Issuer {
		return application.ApplicationRestricted
	}
	return application.UserRestricted
}

// Username returns the user of a user-restricted call; "" in the other mode.
func (t Token) Username() string {
	if t.Mode() == application.ApplicationRestricted {
		return ""
	}
	return t.Subject
}

// application returns the application that iss names. If iss is not written exactly
// as the service writes identifiers, there is no such application.
func (t Token) application() (application.ID, error) {
	id, err := uuid.Parse(t.Issuer)
	if err != nil || id.String() != t.Issuer {
		return application.ID{}, errUnknownApplication
	}
	return application.ID{UUID: id}, nil
}

// credentials returns the token in the Authorization headers of a call. There must
// be exactly one header: "Bearer", spaces and one run of visible characters.
func credentials(authorisation []string) (string, error) {
	if len(authorisation) == 0 {
		return "", errNoHeader
	}
	scheme, token, found := strings.Cut(authorisation[0], " ")
	token = strings.TrimLeft(token, " ")
	if len(authorisation) > 1 || !found || !strings.EqualFold(scheme, "Bearer") || !visible(token) {
		return "", errHeaderFormat
	}
	return token, nil
}

// visible reports whether s is a run of visible ASCII characters.
func visible(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// header is what is read of a token's header. Keys and their addresses (jwk, jku,
// x5c, x5u) are not read, because a token must not choose its own key.
type header struct {
	Alg  jsontext.Value `json:"alg"`
	Typ  jsontext.Value `json:"typ"`
	Kid  jsontext.Value `json:"kid"`
	Crit jsontext.Value `json:"crit"`
	B64  jsontext.Value `json:"b64"`
}

// check returns the kid of a header that this service understands, and refuses any
// other header.
func (h header) check() (kid string, err error) {
	if alg, _ := text(h.Alg); alg != "RS256" {
		return "", errAlg
	}
	if typ, _ := text(h.Typ); typ != "JWT" {
		return "", errTyp
	}
	kid, _ = text(h.Kid)
	switch {
	case kid == "":
		return "", errKid
	case len(h.Crit) > 0:
		return "", errCrit
	case len(h.B64) > 0:
		return "", errB64
	}
	return kid, nil
}
