package commandtest

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/practitioner"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// AccountOf returns how a member of staff came to sign in.
func (s *Store) AccountOf(_ context.Context, tenant string, member uuid.UUID) (staff.Account, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return staff.AccountOf(member, s.streams[staff.StreamOf(tenant, staff.ID{UUID: member})]), nil
}

// ExtentOf counts the events that are about a patient.
func (s *Store) ExtentOf(_ context.Context, who erasure.Person) (extent commands.Extent, err error) {
	for _, e := range s.Log() {
		if about, ok := e.Event.(event.Patient); ok && e.Stream.Tenant == who.Tenant && about.PatientID() == who.Holder {
			extent.Events++
		}
	}
	return extent, nil
}

// PractitionerKnownBy returns the practitioner that an event names with an e-mail address.
func (s *Store) PractitionerKnownBy(_ context.Context, tenant, email string) (practitioner.ID, error) {
	for _, e := range s.Log() {
		by := e.Metadata.Actor.OnBehalfOf
		if by != nil && e.Stream.Tenant == tenant && by.Practitioner.Email == email {
			return practitioner.ID{UUID: event.DerivedID("practitioner", tenant, email)}, nil
		}
	}
	return practitioner.ID{}, practitioner.ErrUnknown
}

// Erase appends the change that is made of the keys of a person: their own, and one for
// each request of a patient.
func (s *Store) Erase(ctx context.Context, who erasure.Person, _ []string, change func([]erasure.Key) (event.Change, error)) ([]event.Recorded, error) {
	keys := []erasure.Key{{Kind: who.Kind, Holder: who.Holder, Fingerprint: fingerprint(who.Holder)}}
	for _, stream := range s.requestsOf(who) {
		keys = append(keys, erasure.Key{Kind: event.OfRequest, Holder: stream, Fingerprint: fingerprint(stream)})
	}
	made, err := change(keys)
	if err != nil {
		return nil, err
	}
	return s.Append(ctx, made)
}

// requestsOf returns the streams of the requests that are linked to a patient now.
func (s *Store) requestsOf(who erasure.Person) (streams []uuid.UUID) {
	for _, e := range s.Log() {
		if e.Stream.Tenant != who.Tenant || who.Kind != event.OfPatient {
			continue
		}
		switch r := e.Event.(type) {
		case request.Submitted:
			if r.Patient.UUID == who.Holder {
				streams = append(streams, e.Stream.ID)
			}
		case event.Moved:
			streams = slices.DeleteFunc(streams, func(id uuid.UUID) bool { return id == e.Stream.ID })
			if r.PatientID() == who.Holder {
				streams = append(streams, e.Stream.ID)
			}
		}
	}
	return streams
}

func fingerprint(holder uuid.UUID) string {
	return event.DerivedID("fingerprint", holder.String()).String()
}
