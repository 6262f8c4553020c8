package auditing_test

import (
	"slices"
	"testing"
	"time"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

// history is all events, with the people in them.
type history struct {
	events  []event.Recorded
	members map[[2]string]staff.ID // by practice and username
}

func (w *town) changes(t *testing.T) history {
	t.Helper()
	h := history{members: map[[2]string]staff.ID{}}
	for e, err := range w.Log.After(t.Context(), 0) {
		must(t, err)
		h.events = append(h.events, e)
		if joined, ok := e.Event.(staff.Registered); ok {
			h.members[[2]string{e.Stream.Tenant, joined.Username}] = staff.ID{UUID: e.Stream.ID}
		}
	}
	return h
}

// near reports whether something that a call depends on changed within a second of it.
// The end of an authorisation is no such change: the call and its explanation see it at
// the same instant (D13).
func (h history) near(call access.Call, username string) bool {
	member := h.members[[2]string{call.Tenant, username}]
	return slices.ContainsFunc(h.events, func(e event.Recorded) bool {
		return call.At.Sub(e.At).Abs() <= time.Second && dependsOn(call, member, e)
	})
}

// dependsOn reports whether an event changed the input of a call's verdict. The call was for
// a member of staff, or for none.
func dependsOn(call access.Call, member staff.ID, r event.Recorded) bool {
	here, grant := r.Stream.Tenant == call.Tenant, application.Grant{Endpoint: call.Endpoint, Mode: call.Mode}
	switch e := r.Event.(type) {
	case practice.ApplicationEnabled:
		return here && e.Application == call.Application
	case practice.ApplicationDisabled:
		return here && e.Application == call.Application
	case application.EndpointGranted:
		return r.Stream.ID == call.Application.UUID && e.Grant == grant
	case application.EndpointRevoked:
		return r.Stream.ID == call.Application.UUID && e.Grant == grant
	case staff.Deactivated, staff.Reactivated:
		return here && r.Stream.ID == member.UUID
	case authorisation.Granted:
		return here && e.Application == call.Application && e.Staff == member
	case authorisation.Revoked:
		return here && e.Application == call.Application && e.Staff == member
	case patient.RecordRestricted:
		return here && e.Patient == call.Patient && member != (staff.ID{}) && showsRecord(call)
	case patient.RestrictionLifted:
		return here && e.Patient == call.Patient && member != (staff.ID{}) && showsRecord(call)
	}
	return false
}

func showsRecord(call access.Call) bool {
	endpoint, _ := access.Find(call.Endpoint)
	return endpoint.ShowsRecord
}
