package access

import (
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
)

// OwnCall is a call as the application that made it is shown it (D95): not about whom it
// was, for whom, or what was answered.
type OwnCall struct {
	RequestID uuid.UUID
	At        time.Time
	Endpoint  application.EndpointName
	Mode      application.Mode // "" if the call is unproven: only the token says it
	Status    int              // HTTP, of the answer
	Code      string           // of the first refusal; "" if there was none
	Reason    string           // what the caller was told; of an unproven call, what holds nothing of its token
	Rule      Rule             // that refused, where the code is that of several; "" otherwise
	Took      *time.Duration   // from the arrival to the answer; nil if it is not known
	Unproven  bool             // it was refused before its signature held: anybody may have made it
}

// told says which rule a refusal is of, by what the caller was told. The sentence of a
// grant names endpoint and mode, so [RuleOf] compares it by itself.
var told = map[string]Rule{
	ErrUnknownApplication.Detail: RuleKnown,
	ErrNotEnabled.Detail:         RuleEnabled,
	errNotAuthorised.Detail:      RuleAuthorised,
	errWrongPatient.Detail:       RuleScope,
	errRecordClosed.Detail:       RuleRecord,
}

// RuleOf returns the rule that refused a recorded call, by what was recorded of it. It
// returns "" if none did: the call was answered, or refused for its input or its time, which
// the code says.
func RuleOf(code, reason string, endpoint application.EndpointName, mode application.Mode) Rule {
	switch {
	case code != errNotGranted.Code && code != errWrongPatient.Code:
		return ""
	case reason == errNotGranted.Filled(endpoint, mode).Detail:
		return RuleGranted
	}
	return told[reason]
}

// AboutItself returns the names of the endpoints by which an application asks about itself.
func AboutItself() (names []application.EndpointName) {
	for _, e := range Endpoints() {
		if e.AboutItself {
			names = append(names, e.Name)
		}
	}
	return names
}
