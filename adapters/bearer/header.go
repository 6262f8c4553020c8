package bearer

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// credentials is the token of the Authorization headers of a call: exactly
// one, "Bearer", spaces, one run of visible characters (D1, step 2).
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

// header is what a token's header may say. Keys and addresses of keys in it
// (jwk, jku, x5c, x5u) are not even read: a token does not choose its key (D7).
type header struct {
	Alg  jsontext.Value `json:"alg"`
	Typ  jsontext.Value `json:"typ"`
	Kid  jsontext.Value `json:"kid"`
	Crit jsontext.Value `json:"crit"`
	B64  jsontext.Value `json:"b64"`
}

// check is the kid of a header that this service understands (§5.2).
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
