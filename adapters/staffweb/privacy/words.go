package privacy

import (
	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// actorNames names actors. It looks each application up once.
type actorNames struct {
	s       *Section
	r       *pagekit.Request
	members map[uuid.UUID]string
	apps    map[uuid.UUID]string
	failed  error
}

// actorNames reads the names of the practice's staff, including those who have left.
func (s *Section) actorNames(r *pagekit.Request) (*actorNames, error) {
	people, err := s.People.List(r.Context(), r.Tenant)
	if err != nil {
		return nil, err
	}
	w := &actorNames{s, r, map[uuid.UUID]string{}, map[uuid.UUID]string{}, nil}
	for _, p := range people {
		w.members[p.Staff.UUID] = p.Name
	}
	return w, nil
}

// member names a member of staff.
func (w *actorNames) member(id uuid.UUID) string {
	if name, known := w.members[id]; known {
		return name
	}
	return "someone who has left" // too long ago for the list of people
}

func (w *actorNames) membersOf(ids []staff.ID) (names []string) {
	for _, id := range ids {
		names = append(names, w.member(id.UUID))
	}
	return names
}

// actor describes an actor.
func (w *actorNames) actor(by event.Actor) string { return w.keep(by.Words(w)) }

// application returns the name of an application.
func (w *actorNames) application(id uuid.UUID) string { return w.keep(w.Application(id)) }

// keep keeps the first error for the end of the page.
func (w *actorNames) keep(name string, err error) string {
	if w.failed == nil {
		w.failed = err
	}
	return name
}

// Member is for [event.Actor.Words].
func (w *actorNames) Member(id uuid.UUID) (string, error) { return w.member(id), nil }

// Application is for [event.Actor.Words]. It looks each application up once.
func (w *actorNames) Application(id uuid.UUID) (name string, err error) {
	name, known := w.apps[id]
	if known || w.failed != nil {
		return name, nil //nolint:nilerr // the first error is kept, and returned once
	}
	if name, err = w.s.Directory.Application(w.r.Context(), id); name == "" {
		name = "an application"
	}
	w.apps[id] = name
	return name, err
}

// Practitioner is for [event.Actor.Words].
func (w *actorNames) Practitioner(claim event.OnBehalfOf) string {
	name := claim.Practitioner.Name
	if name == event.Hidden {
		name = "somebody"
	}
	return name + " of " + claim.Organisation.Name
}
