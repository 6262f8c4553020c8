package bearer

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// Token is a token that has passed every check that needs no key. Until [Token.Verify]
// succeeds it may be forged, and is only good for lookups.
type Token struct {
	Issuer  string            // iss: the application
	Subject string            // sub: the application again, or a username
	Act     *event.OnBehalfOf // nil if there is no act claim
	Hash    [sha256.Size]byte // SHA-256 of the token's text

	kid       string
	signed    string // the signed text
	signature []byte
}

// Parse makes every check of a token that needs no key, so that junk costs no query and
// no fetch. Its error is a [*Refusal]. For a refused token it returns only the Issuer,
// if that was read.
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
		return parsed, err
	}
	if !h.wellFormed() {
		return Token{}, errHeader
	}
	parsed.kid, parsed.signed, parsed.signature = kid, parts.signed, parts.signature
	parsed.Hash = sha256.Sum256([]byte(token))
	return parsed, nil
}

func parseClaims(raw []byte, now instant) (Token, error) {
	c, err := readClaims(raw)
	if err != nil {
		return Token{Issuer: c.iss}, err
	}
	if err := c.check(now); err != nil {
		return Token{Issuer: c.iss}, err
	}
	act, err := c.readAct()
	return Token{Issuer: c.iss, Subject: c.sub, Act: act}, err
}

// Verify checks the signature with the one key that the token's kid names. Its
// error is a [*Refusal].
func (t Token) Verify(keys KeySet) error {
	key, known := keys.byKid[t.kid]
	if !known {
		return errUnknownKey
	}
	digest := sha256.Sum256([]byte(t.signed))
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], t.signature) != nil {
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

// application returns the application in iss. If iss is not written exactly as the
// service writes identifiers, there is no such application.
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
