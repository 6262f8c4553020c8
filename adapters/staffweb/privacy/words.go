package privacy

import (
	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// words names actors. It looks each application up once.
type words struct {
	s       *Section
	v       *frame.Visit
	members map[uuid.UUID]string
	apps    map[uuid.UUID]string
	failed  error
}

// words reads who works at the practice, and who has left.
func (s *Section) words(v *frame.Visit) (*words, error) {
	people, err := s.People.Of(v.Context(), v.Tenant)
	if err != nil {
		return nil, err
	}
	w := &words{s, v, map[uuid.UUID]string{}, map[uuid.UUID]string{}, nil}
	for _, p := range people {
		w.members[p.Staff.UUID] = p.Name
	}
	return w, nil
}

// member names a member of staff.
func (w *words) member(id uuid.UUID) string {
	if name, known := w.members[id]; known {
		return name
	}
	return "somebody who has left" // long ago, so that the list of people ends before them
}

func (w *words) membersOf(ids []staff.ID) (names []string) {
	for _, id := range ids {
		names = append(names, w.member(id.UUID))
	}
	return names
}

// application names an application.
func (w *words) application(id uuid.UUID) string {
	name, known := w.apps[id]
	if known || w.failed != nil {
		return name
	}
	if name, w.failed = w.s.Directory.Application(w.v.Context(), id); name == "" {
		name = "an application"
	}
	w.apps[id] = name
	return name
}

// who names an actor, and whom they acted through.
func (w *words) who(by event.Actor) string {
	name := w.person(by)
	switch {
	case by.Application == uuid.Nil:
		return name
	case name == "":
		return w.application(by.Application)
	}
	return name + ", through " + w.application(by.Application)
}

// person names who acted; "" for an application that did so by itself.
func (w *words) person(by event.Actor) string {
	member := by.Member()
	switch {
	case member != uuid.Nil && by.Kind == event.ByOperator:
		return "an operator, for " + w.member(member)
	case member != uuid.Nil:
		return w.member(member)
	case by.OnBehalfOf != nil && by.OnBehalfOf.Practitioner.Name == event.Hidden:
		return "somebody of " + by.OnBehalfOf.Organisation.Name
	case by.OnBehalfOf != nil:
		return by.OnBehalfOf.Practitioner.Name + " of " + by.OnBehalfOf.Organisation.Name
	case by.Kind == event.ByApplication:
		return ""
	case by.Kind == event.ByOperator:
		return "an operator (" + by.ID + ")"
	case by.Kind == event.ByDisplay:
		return "a screen in the waiting room"
	}
	return "the service itself"
}
