package bearer

import (
	"strings"

	"frontdesk/domain/application"
)

// saying is the stored part of a refusal: the check that refused, and a sentence
// without any text of the token.
type saying struct {
	reason   Reason
	sentence string
}

// sayings are all that can be stored. A refusal whose sentence is in the list is stored
// with it. For any other the check is stored, with its last sentence in the list.
var sayings = append(constantSayings(), append(missing("iss", "sub", "iat", "exp", "azp"),
	saying{"claim-missing", "JWT is missing a claim"},
	saying{"base64", "Invalid JWT: a part is not base64url without padding"},
	saying{"json", "Invalid JWT: a part is not a JSON object"},
	saying{"duplicate-member", "Invalid JWT: a part names a member twice"},
	saying{"claim-type", "Invalid JWT: a claim must be a string of printable characters"},
	saying{"claim-time", "Invalid JWT: a time must be a number of seconds since 1970"},
	saying{"expired", "Invalid JWT: the token has expired; is your clock slow?"},
	saying{"time-unit", "Invalid JWT: a time is not in seconds"},
	saying{"future", "Invalid JWT: the token was issued in the future; is your clock fast?"},
	saying{"not-yet-valid", "Invalid JWT: the token is not valid yet; is your clock fast?"},
	saying{"lifetime", "Invalid JWT: exp must be at most 60 seconds after iat"},
	saying{"act", "Invalid JWT: act does not have the form that is wanted"},
	saying{"jwks-unreachable", "Unable to obtain JWKS: the URL did not respond"},
	saying{"jwks-not-json", "Unable to obtain JWKS: the response was not JSON"},
	saying{"jwks-no-key", "Unable to obtain JWKS: the response held no usable key"},
	other)...)

// other replaces a refusal that must not be stored.
var other = saying{"other", "Invalid JWT: the token was refused before its signature was checked"}

// constantSayings returns the constant sentences.
func constantSayings() (all []saying) {
	for _, r := range Refusals() {
		if !strings.Contains(r.Fault.Detail, "%") {
			all = append(all, saying{r.Reason, r.Fault.Detail})
		}
	}
	return all
}

func missing(claims ...string) (all []saying) {
	for _, claim := range claims {
		all = append(all, saying{errMissing.Reason, errMissing.filled(claim).Fault.Detail})
	}
	return all
}

// sayingOf returns the index of the saying for a refusal.
func sayingOf(r *Refusal) uint8 {
	of := len(sayings) - 1
	for n, said := range sayings {
		if said.sentence == r.Fault.Detail {
			return uint8(n)
		}
		if said.reason == r.Reason {
			of = n
		}
	}
	return uint8(of)
}

// claimedIssuer returns the application that a token names in the Authorization headers
// of a call, despite other faults; false if it cannot be read. The claims of a token
// with a refused header have not been read.
func (t Token) claimedIssuer(authorisation []string) (application.ID, bool) {
	if t.Issuer != "" {
		id, err := t.application()
		return id, err == nil
	}
	token, err := credentials(authorisation)
	if err != nil || len(token) > maxToken {
		return application.ID{}, false
	}
	_, rest, _ := strings.Cut(token, ".")
	part, _, _ := strings.Cut(rest, ".")
	raw, ok := decode(part)
	var claims struct {
		Iss string `json:"iss"`
	}
	if !ok || object(raw, &claims) != nil {
		return application.ID{}, false
	}
	id, err := Token{Issuer: claims.Iss}.application()
	return id, err == nil
}
