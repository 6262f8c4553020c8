package main_test

import (
	"fmt"
	"slices"
)

// The contract's sentences for who may not call (§7.2, D17), as code and description.
const (
	allowed       = "allowed"
	notEnabled    = "unauthorized: The app has not been granted access to this tenant"
	notGranted    = "unauthorized: The app has no permission to call %s in %s mode"
	notAuthorised = "unauthorized: The app is not currently authorised to request as the specified user"
	wrongPatient  = "patient-not-authorised: The app is not currently authorised to request as the specified user for this patient"
	recordClosed  = "unauthorized: The specified user may not access this patient"
)

// endpointAsked is an endpoint of the contract, with the data that its calls need.
type endpointAsked struct {
	name                                string
	needsGrant, namesPatient, seeRecord bool
}

// endpointsAsked are one of each kind, and all that see a record. The model is written
// from the contract, so it does not ask the program's own catalogue.
var endpointsAsked = [...]endpointAsked{
	{name: "ping"},
	{name: "request-type-availability", needsGrant: true},
	{name: "create-patient-request", needsGrant: true, namesPatient: true},
	{name: "create-note", needsGrant: true, namesPatient: true, seeRecord: true},
	{name: "open-care-record", needsGrant: true, namesPatient: true, seeRecord: true},
	{name: "retrieve-care-record", needsGrant: true, namesPatient: true, seeRecord: true},
}

// How many members of staff and patients a practice of the model has.
const staffOfModel, patientsOfModel = 2, 2

// nobody is the user of an application-restricted call.
const nobody = -1

// modes are the contract's names of the modes, without and with a user.
var modes = [...]string{"application-restricted", "user-restricted"}

func modeOf(user int) int {
	if user == nobody {
		return 0
	}
	return 1
}

// asked is one call. Instants are nanoseconds since the history began.
type asked struct {
	endpoint, user, patient int
	from, to                int64 // when it was made and answered
}

// String shows the call in the picture of a violation.
func (c asked) String() string {
	return fmt.Sprintf("%s by %d for %d", endpointsAsked[c.endpoint].name, c.user, c.patient)
}

// looked is the second query of a call that sees a record: may its user see it? Rights are
// queried first, and the restriction once the patient is known. Each answer is true at an
// instant within the call.
type looked struct{ user, patient int }

// String shows the question in the picture of a violation.
func (l looked) String() string { return fmt.Sprintf("record of %d seen by %d", l.patient, l.user) }

// practiceState is all that the answers to one application at one practice depend on.
type practiceState struct {
	enabled  bool
	granted  [len(endpointsAsked)][len(modes)]bool
	standing [staffOfModel]int64                  // when it ends, exclusive; 0 for none
	scoped   [staffOfModel][patientsOfModel]int64 // the same, for one patient
	closed   [patientsOfModel][staffOfModel]bool  // whether the record is restricted to others
}

// answer is the contract's answer to a call at an instant, as far as rights determine it. The
// first refusal counts (D1).
func (s practiceState) answer(c asked, now int64) string {
	endpoint, byUser := endpointsAsked[c.endpoint], c.user != nobody
	switch {
	case !s.enabled:
		return notEnabled
	case endpoint.needsGrant && !s.granted[c.endpoint][modeOf(c.user)]:
		return fmt.Sprintf(notGranted, endpoint.name, modes[modeOf(c.user)])
	case !byUser || now < s.standing[c.user]:
		return allowed
	case !endpoint.namesPatient || now >= slices.Max(s.scoped[c.user][:]):
		return notAuthorised
	case now >= s.scoped[c.user][c.patient]:
		return wrongPatient
	}
	return allowed
}

// gives reports whether an answer is right at some instant of the call. A right that has
// ended before it must be refused, and one that ends after it is still valid. A call that
// spans the end may be answered either way.
func (s practiceState) gives(c asked, got string) bool {
	instants := []int64{c.from}
	if c.user != nobody {
		for _, end := range append([]int64{s.standing[c.user]}, s.scoped[c.user][:]...) {
			if c.from < end && end <= c.to {
				instants = append(instants, end)
			}
		}
	}
	return slices.ContainsFunc(instants, func(now int64) bool { return s.answer(c, now) == got })
}

// changed is one act of an operator.
type changed struct {
	what                    act
	endpoint, user, patient int
	at, ends                int64 // by the operator's clock; ends is of an authorisation
}

type act string

const (
	enable        act = "enable"
	disable       act = "disable"
	grant         act = "grant"   // the endpoint, for users or for the application
	ungrant       act = "ungrant" // the same
	authorise     act = "authorise"
	revoke        act = "revoke"
	authoriseOnly act = "authorise for one patient"
	revokeOnly    act = "revoke for one patient"
	restrict      act = "restrict to" // one member of staff
	lift          act = "lift"        // the restriction
)

// String shows the act in the picture of a violation.
func (c changed) String() string {
	return fmt.Sprintf("%s: endpoint %d, user %d, patient %d, until %d", c.what, c.endpoint, c.user, c.patient, c.ends)
}

// ending of an act. If the operator's connection was lost, it is unknown.
type ending string

const (
	done      ending = "done"
	noneThere ending = "there was none" // to revoke
	doneIfAny ending = "done, if there was any"
	unknown   ending = "unknown"
)

// after is the state after an act. It reports false if the act cannot have ended so.
func (s practiceState) after(c changed, e ending) (next practiceState, ok bool) {
	ok = e != noneThere
	switch c.what {
	case enable, disable:
		s.enabled = c.what == enable
	case grant, ungrant:
		s.granted[c.endpoint][modeOf(c.user)] = c.what == grant
	case authorise:
		s.standing[c.user] = c.ends
	case authoriseOnly:
		s.scoped[c.user][c.patient] = c.ends
	case revoke:
		s.standing[c.user], ok = revoked(s.standing[c.user], c.at, e)
	case revokeOnly:
		s.scoped[c.user][c.patient], ok = revoked(s.scoped[c.user][c.patient], c.at, e)
	case restrict, lift:
		for user := range s.closed[c.patient] {
			s.closed[c.patient][user] = c.what == restrict && user != c.user
		}
	}
	return s, ok
}

// revoked is the end of an authorisation after a revocation. An authorisation that has
// expired is not revoked.
func revoked(end, at int64, e ending) (next int64, ok bool) {
	if at >= end {
		return end, e != done
	}
	return 0, e != noneThere
}
