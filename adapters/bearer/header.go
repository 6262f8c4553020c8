package bearer

import (
	"encoding/base64"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// header has the members of a token's header that are used. Of keys and their addresses
// (jwk, jku, x5c, x5u) at most the form is checked, because a token must not choose its
// own key.
type header struct {
	Alg   jsontext.Value `json:"alg"`
	Typ   jsontext.Value `json:"typ"`
	Kid   jsontext.Value `json:"kid"`
	Crit  jsontext.Value `json:"crit"`
	B64   jsontext.Value `json:"b64"`
	Jwk   jsontext.Value `json:"jwk"`
	X5c   jsontext.Value `json:"x5c"`
	Nonce jsontext.Value `json:"nonce"`
}

// check returns the kid of a supported header, and refuses any other header.
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

// wellFormed reports whether the ignored members have the form of their standards (D7).
// A null one counts as absent. Any kind of key is accepted: new kinds come, and they
// are not used.
func (h header) wellFormed() bool {
	_, isText := text(h.Nonce)
	return (isNull(h.Nonce) || isText) &&
		(isNull(h.Jwk) || isPublicKey(h.Jwk)) &&
		(isNull(h.X5c) || isChain(h.X5c))
}

// isPublicKey reports whether v is a JWK without its private half.
func isPublicKey(v jsontext.Value) bool {
	var key struct {
		Kty string         `json:"kty"`
		D   jsontext.Value `json:"d"`
	}
	return object(v, &key) == nil && key.Kty != "" && isNull(key.D)
}

// isChain reports whether v is a list of certificates. Only the base64 is checked.
func isChain(v jsontext.Value) bool {
	var chain []string
	return json.Unmarshal(v, &chain) == nil && !slices.ContainsFunc(chain, func(certificate string) bool {
		_, err := base64.StdEncoding.DecodeString(certificate)
		return err != nil || certificate == ""
	})
}
