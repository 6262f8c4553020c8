package bearer

import (
	"frontdesk/domain/access"
	"frontdesk/domain/fault"
)

// Reason names a refusal in metrics. It is short and constant, and never contains the
// caller's input.
type Reason string

// Refusal is why a call was refused. It unwraps to the [*fault.Error] for the caller,
// and to its cause, which is for the operator's log only.
type Refusal struct {
	Reason Reason
	Fault  *fault.Error
	Cause  error // nil if the fault is complete
}

// The closed set of refusals, in the order of the checks and in the words of D10. A
// verb in a sentence stands for a fixed name, a time in the token, or the registered
// URL.
var (
	errNoHeader     = refuse("header-missing", "Missing Authorization header")
	errHeaderFormat = refuse("header-format", "Invalid Authorization format")

	errTooLong   = invalid("too-long", "the token is longer than 8192 bytes")
	errParts     = invalid("parts", "a signed token has three parts with a dot between them")
	errBase64    = invalid("base64", "the %s is not base64url without padding")
	errNotObject = invalid("json", "the %s is not a JSON object")
	errTwice     = invalid("duplicate-member", "the %s names a member twice")

	errAlg    = invalid("alg", "alg in the header must be RS256")
	errTyp    = invalid("typ", "typ in the header must be JWT")
	errKid    = invalid("kid", "kid in the header must be a non-empty string")
	errCrit   = invalid("crit", "crit in the header is not supported")
	errB64    = invalid("b64", "b64 in the header is not supported")
	errHeader = invalid("header", "a registered member of the header is malformed")

	errMissing   = refuse("claim-missing", "JWT is missing the %s claim")
	errText      = invalid("claim-type", "%s must be a string of printable characters")
	errNumber    = invalid("claim-time", "%s must be a number of seconds since 1970")
	errExpired   = invalid("expired", "the token expired %s ago (at %s); is your clock slow?")
	errUnit      = invalid("time-unit", "%[1]s is %[2]d, which looks like %[3]s: %[1]s must be in seconds")
	errFuture    = invalid("future", "the token was issued in the future: iat is %s ahead (at %s); is your clock fast?")
	errNotYet    = invalid("not-yet-valid", "the token is not valid yet: nbf is %s ahead (at %s); is your clock fast?")
	errLifetime  = invalid("lifetime", "exp must be at most 60 seconds after iat: it is %s after iat")
	errAzp       = invalid("azp", "azp must equal iss")
	errActOnUser = invalid("act-on-user", "act is allowed only where sub equals iss")
	errAct       = invalid("act", "%s must be %s")

	errUnknownApplication = &Refusal{Reason: "unknown-application", Fault: access.ErrUnknownApplication}
	errUnreachable        = refuse("jwks-unreachable", "Unable to obtain JWKS from %s: the URL did not respond")
	errNotJSON            = refuse("jwks-not-json", "Unable to obtain JWKS from %s: the response was not JSON")
	errNoUsableKey        = refuse("jwks-no-key", "Unable to obtain JWKS from %s: the response held no usable key")
	errUnknownKey         = invalid("unknown-key", "no key with this kid")
	errSignature          = invalid("signature", "the signature check failed for the key that kid names")
)

// Refusals lists the refusals in the order of the checks, without those of package
// access.
func Refusals() []*Refusal {
	return []*Refusal{
		errNoHeader, errHeaderFormat,
		errTooLong, errParts, errBase64, errNotObject, errTwice,
		errAlg, errTyp, errKid, errCrit, errB64, errHeader,
		errMissing, errText, errNumber, errExpired, errFuture, errNotYet, errUnit, errLifetime, errAzp, errActOnUser, errAct,
		errUnreachable, errNotJSON, errNoUsableKey, errUnknownKey, errSignature,
	}
}

// Crowded lists the refusals of callers that cannot wait for a key set.
func Crowded() fault.List { return fault.List{errCrowded, errStopping} }

func refuse(reason Reason, detail string) *Refusal {
	return &Refusal{Reason: reason, Fault: fault.New(fault.Forbidden, "unauthorized", detail)}
}

func invalid(reason Reason, why string) *Refusal {
	return refuse(reason, "Invalid JWT: "+why)
}

// filled fills in the verbs of the sentence.
func (r *Refusal) filled(args ...any) *Refusal {
	return &Refusal{Reason: r.Reason, Fault: r.Fault.Filled(args...), Cause: r.Cause}
}

// because adds the cause for the operator.
func (r *Refusal) because(cause error) *Refusal {
	return &Refusal{Reason: r.Reason, Fault: r.Fault, Cause: cause}
}

// RefusedBy returns the rule that refused. An unknown application is refused by the rule that
// refuses it in package access, because the caller gets the same sentence.
func (r *Refusal) RefusedBy() access.Rule {
	if r.Reason == errUnknownApplication.Reason {
		return access.RuleKnown
	}
	return access.Rule(r.Reason)
}

// Error returns the text for the log, with the cause. Callers see the fault's detail.
func (r *Refusal) Error() string {
	if r.Cause == nil {
		return r.Fault.Error()
	}
	return r.Fault.Error() + ": " + r.Cause.Error()
}

// Unwrap returns the fault and then the cause, if there is one.
func (r *Refusal) Unwrap() []error {
	if r.Cause == nil {
		return []error{r.Fault}
	}
	return []error{r.Fault, r.Cause}
}
