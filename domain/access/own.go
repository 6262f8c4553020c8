package access

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
)

// OwnCall is a call as its application sees it (D95): without the patient, the user and
// the answer.
type OwnCall struct {
	RequestID uuid.UUID
	At        time.Time
	Endpoint  application.EndpointName
	Mode      application.Mode // "" if the call is unproven: only the token states it
	Status    int              // HTTP, of the answer
	Code      string           // of the first refusal; "" if there was none
	Reason    string           // in the answer; for an unproven call, a text without values of its token
	Rule      Rule             // that refused, if several share the code; "" otherwise
	Further   []Problem        // refusals after the first
	Agent     string           // name and version of the program that called, as it states them; "" if not known
	Replayed  bool             // its answer was given before, to a call with the same Idempotency-Key
	Repeats   int              // equal refusals in the minute before it that have no line of their own
	Took      *time.Duration   // from the arrival to the answer; nil if it is not known
	Unproven  bool             // it was refused before its signature was verified: any sender may have made it
}

// ruleOfSentence maps the sentence of an answer to its rule. The sentence of a grant contains the
// endpoint and mode, so [RuleOf] compares it separately.
var ruleOfSentence = map[string]Rule{
	ErrUnknownApplication.Detail: RuleKnown,
	ErrNotEnabled.Detail:         RuleEnabled,
	errNotAuthorised.Detail:      RuleAuthorised,
	errWrongPatient.Detail:       RuleScope,
	errRecordClosed.Detail:       RuleRecord,
}

// RuleOf returns the rule that refused a recorded call, from its recorded values. It
// returns "" if none did: the call was answered, or refused for its input or its time,
// which the code shows.
func RuleOf(code, reason string, endpoint application.EndpointName, mode application.Mode) Rule {
	switch {
	case code != errNotGranted.Code && code != errWrongPatient.Code:
		return ""
	case reason == errNotGranted.Filled(endpoint, mode).Detail:
		return RuleGranted
	}
	return ruleOfSentence[reason]
}

// AboutItself returns the names of the endpoints for calls of an application about
// itself.
func AboutItself() (names []application.EndpointName) {
	for _, e := range Endpoints() {
		if e.AboutItself {
			names = append(names, e.Name)
		}
	}
	return names
}
