package access

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// Rule is one of the rules for calls.
type Rule string

// The rules, in the order in which they are applied (D1, step 5).
const (
	RuleNone       Rule = "none"                   // no rule refused
	RuleKnown      Rule = "application-registered" // D11
	RuleEnabled    Rule = "application-enabled"    // §5.6
	RuleGranted    Rule = "endpoint-granted"       // §5.6
	RuleStaff      Rule = "staff-active"           // D14; refuses nothing itself: former staff have no authorisation. It names evidence
	RuleAuthorised Rule = "user-authorised"        // §5.4
	RuleScope      Rule = "patient-in-scope"       // §5.5, D12
	RuleRecord     Rule = "record-open"            // D17
)

// Rules lists the rules in their order.
func Rules() []Rule {
	return []Rule{RuleKnown, RuleEnabled, RuleGranted, RuleStaff, RuleAuthorised, RuleScope, RuleRecord}
}

// Refusal names the rule that refuses a call. It unwraps to the fault that the caller
// gets.
type Refusal struct {
	Rule  Rule
	Fault *fault.Error
}

// Error returns the text of the fault.
func (r *Refusal) Error() string { return r.Fault.Error() }

// RefusedBy returns the rule.
func (r *Refusal) RefusedBy() Rule { return r.Rule }

// Unwrap returns the fault.
func (r *Refusal) Unwrap() error { return r.Fault }

// The sentences of the answers (D10).
var (
	ErrUnknownApplication = refusal("Invalid JWT: iss is not a registered application")
	ErrNotEnabled         = refusal("The app has not been granted access to this tenant")
	errNotGranted         = refusal("The app has no permission to call %s in %s mode")
	errNotAuthorised      = refusal("The app is not currently authorised to request as the specified user")
	errWrongPatient       = fault.New(fault.Forbidden, "patient-not-authorised",
		"The app is not currently authorised to request as the specified user for this patient")
	errRecordClosed = refusal("The specified user may not access this patient")
)

func refusal(detail string) *fault.Error { return fault.New(fault.Forbidden, "unauthorized", detail) }

// Refusals lists the refusals of [Judge], in the order of their rules. The verbs in a
// sentence are replaced by the endpoint and then the mode.
func Refusals() []*Refusal {
	return []*Refusal{
		{RuleKnown, ErrUnknownApplication}, {RuleEnabled, ErrNotEnabled}, {RuleGranted, errNotGranted},
		{RuleAuthorised, errNotAuthorised}, {RuleScope, errWrongPatient}, {RuleRecord, errRecordClosed},
	}
}

// Named is the patient in a call's input, as far as it is known.
type Named struct {
	Patient string // as in the input; "" without one that can be parsed
	Closed  bool   // the patient's record is restricted to staff other than the caller's user
}

// Judge allows a call, or returns the [*Refusal] of the first rule that does not allow
// it. It uses the facts known so far: named is nil until the input of a call that names
// a patient has been read. It is ignored for all other calls.
//
// If a call was allowed and more is known later, only a later rule can refuse it. So
// the number of steps does not matter.
func Judge(c Caller, named *Named) error {
	switch {
	case !c.Known:
		return &Refusal{RuleKnown, ErrUnknownApplication}
	case !c.Enabled && (!c.Endpoint.AboutItself || c.Endpoint.WhereEnabled):
		return &Refusal{RuleEnabled, ErrNotEnabled}
	case !c.granted():
		return &Refusal{RuleGranted, errNotGranted.Filled(c.Endpoint.Name, c.Mode)}
	case c.Mode == application.ApplicationRestricted:
		return nil // the other rules are about users
	case !c.authorised():
		return &Refusal{RuleAuthorised, errNotAuthorised}
	case named == nil || !c.Endpoint.NamesPatient:
		return nil
	case !c.covers(named.Patient):
		return &Refusal{RuleScope, errWrongPatient}
	case c.Endpoint.ShowsRecord && named.Closed:
		return &Refusal{RuleRecord, errRecordClosed}
	}
	return nil
}

// granted reports whether the endpoint may be called in the mode of the call. An
// application that calls about itself acts for no user.
func (c Caller) granted() bool {
	if c.Endpoint.AboutItself {
		return c.Mode == application.ApplicationRestricted
	}
	return c.Granted || c.Endpoint.WithoutGrant
}

// authorised reports whether the user has a current standing authorisation, or a
// patient-scoped one that may cover the patient that the call will name.
func (c Caller) authorised() bool {
	if c.Staff.UUID == uuid.Nil {
		return false
	}
	return !c.AuthorisedUntil.IsZero() || c.Endpoint.NamesPatient && len(c.Patients) > 0
}

// covers reports whether the caller may act on a patient, whose id is as in the input.
// Only a standing authorisation covers an id that cannot be parsed.
func (c Caller) covers(id string) bool {
	return !c.AuthorisedUntil.IsZero() || slices.ContainsFunc(c.Patients, func(p patient.ID) bool {
		return strings.EqualFold(p.String(), id)
	})
}
