package refusals

import (
	"frontdesk/adapters/bearer"
	"frontdesk/domain/access"
	"frontdesk/domain/fault"
)

// unauthorised lists the sentences of D10, in the order in which calls are judged: the
// token's, and then those of the rights.
func unauthorised() (list fault.List) {
	for _, refusal := range bearer.Refusals() {
		list = append(list, refusal.Fault)
	}
	for _, refusal := range access.Refusals() {
		if refusal.Rule != access.RuleScope {
			list = append(list, refusal.Fault)
		}
	}
	return list
}

// scope lists the refusal with a code of its own.
func scope() (list fault.List) {
	for _, refusal := range access.Refusals() {
		if refusal.Rule == access.RuleScope {
			list = append(list, refusal.Fault)
		}
	}
	return list
}

// fixOf returns the fix for a refusal of a token or of its rights; "" if it has none, which
// a test refuses.
func fixOf(f *fault.Error) string {
	for _, refusal := range bearer.Refusals() {
		if refusal.Fault == f {
			return ofReasons[refusal.Reason]
		}
	}
	for _, refusal := range access.Refusals() {
		if refusal.Fault == f {
			return ofRules[refusal.Rule]
		}
	}
	return ""
}

// ofReasons holds the fixes of tokens.
var ofReasons = map[bearer.Reason]string{
	"header-missing":   "Send `Authorization: Bearer TOKEN` with every call.",
	"header-format":    "Send exactly one Authorization header: the word Bearer, a space and the token, without quotes or line breaks.",
	"too-long":         "Remove custom claims. A token needs only a few hundred bytes.",
	"parts":            "Send the whole token as your library returns it: header, claims and signature.",
	"base64":           "Encode each part as base64url without padding (RFC 7515), as libraries for JWT do.",
	"json":             "Write the header and the claims as a JSON object each.",
	"duplicate-member": "Write each member once.",
	"alg":              `Sign with RS256, and put "alg": "RS256" in the token's header.`,
	"typ":              `Put "typ": "JWT" in the token's header.`,
	"kid":              "Put the kid of the signing key in the token's header, exactly as your key set has it.",
	"crit":             "Leave crit out of the token's header.",
	"b64":              "Leave b64 out of the token's header.",
	"header":           "Leave jwk, x5c and nonce out of the token's header: they are not used.",
	"claim-missing":    "Add the claim. azp is needed wherever sub is a username.",
	"claim-type":       "Write the claim as a JSON string without control characters.",
	"claim-time":       "Write the time as a JSON number of seconds since 1970, without quotes.",
	"expired":          "Mint a token for each call or short burst, and set your clock by NTP: 60 seconds are tolerated.",
	"future":           "Set your clock by NTP: 60 seconds are tolerated.",
	"not-yet-valid":    "Leave nbf out, or set it to the time of issue by a clock that is set by NTP.",
	"time-unit":        "Send seconds: in JavaScript, Math.floor(Date.now() / 1000).",
	"lifetime":         "Set exp to iat + 60 or less.",
	"azp":              "Set azp to the application's identifier, as iss.",
	"act-on-user":      "Leave act out of a token that acts for a user; only calls of the application itself can have it.",
	"act":              "Fix the member that is named: act has a practitioner with name and email, and an organisation with a name (§2.7).",
	"jwks-unreachable": "Fetch the URL from outside your network: within 5 s it must answer 200, by https with a trusted certificate and without a redirect. `frontdesk token explain --jwks URL` shows the failure.",
	"jwks-not-json":    "Serve a JSON object of at most 256 KiB. `frontdesk token explain --jwks URL` shows where parsing fails.",
	"jwks-no-key":      "Publish an RSA key of 2048 to 4096 bits with a kid. `frontdesk token explain --jwks URL` shows why a key is not used.",
	"unknown-key":      "Publish the key next to the old one an hour before you sign with it, or have the set read again by `POST application/key-set` with a token of the old one.",
	"signature":        "Sign with the private half of the key that is published under this kid, and change nothing after signing.",
}

// ofRules holds the fixes of a call's rights.
var ofRules = map[access.Rule]string{
	access.RuleKnown:      "Send the application's identifier as iss, exactly as it was given to you, and to the environment that it is registered in.",
	access.RuleEnabled:    "Ask a manager at the practice to enable your application. Also check the practice's name in the host: an unknown practice gets the same answer.",
	access.RuleGranted:    "Ask the operator for the grant of this endpoint in this mode. For questions about the application itself, set sub to iss.",
	access.RuleAuthorised: "Send the user through the authorisation page again: an authorisation lasts 12 hours.",
	access.RuleScope:      "Call for the patient of the authorisation, or send the user through the authorisation page for a standing authorisation.",
	access.RuleRecord:     "You cannot fix this: the practice has restricted this record to other members of staff.",
}
