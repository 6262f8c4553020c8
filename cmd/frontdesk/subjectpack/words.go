package subjectpack

import (
	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// who names an actor: the member of staff, the practitioner or the application, and whom
// they acted through.
func (w *writer) who(by event.Actor) (string, error) {
	name, err := w.person(by)
	if err != nil || by.Application == uuid.Nil {
		return name, err
	}
	through, err := w.application(by.Application)
	if err != nil || name == "" {
		return through, err
	}
	return name + ", through " + through, nil
}

// person names who acted; "" for an application that did so by itself.
func (w *writer) person(by event.Actor) (string, error) {
	member := by.Member()
	switch {
	case member != uuid.Nil && by.Kind == event.ByOperator:
		name, err := w.member(member)
		return "an operator, for " + name, err
	case member != uuid.Nil:
		return w.member(member)
	case by.OnBehalfOf != nil:
		return by.OnBehalfOf.Practitioner.Name + " (" + by.OnBehalfOf.Organisation.Name + ")", nil
	case by.Kind == event.ByApplication:
		return "", nil
	case by.Kind == event.ByOperator:
		return "an operator (" + by.ID + ")", nil
	case by.Kind == event.ByDisplay:
		return "a screen in the waiting room", nil
	}
	return "the service itself", nil
}

func (w *writer) member(id uuid.UUID) (string, error) {
	return w.name("staff "+id.String(), func() (string, error) { return w.Directory.Staff(w.ctx, w.Practice.Tenant, id) })
}

func (w *writer) application(id uuid.UUID) (string, error) {
	return w.name("application "+id.String(), func() (string, error) { return w.Directory.Application(w.ctx, id) })
}

// place names a site and, unless it is zero, a room there.
func (w *writer) place(site, room uuid.UUID) (string, error) {
	name, err := w.name("site "+site.String(), func() (string, error) { return w.Directory.Site(w.ctx, w.Practice.Tenant, site) })
	if err != nil || room == uuid.Nil {
		return name, err
	}
	inside, err := w.name("room "+room.String(), func() (string, error) { return w.Directory.Room(w.ctx, w.Practice.Tenant, room) })
	return name + ", " + inside, err
}

// name looks a name up once. What has none is called by its identifier.
func (w *writer) name(of string, look func() (string, error)) (string, error) {
	if name, known := w.names[of]; known {
		return name, nil
	}
	name, err := look()
	if err != nil {
		return "", err
	}
	if name == "" {
		name = of
	}
	w.names[of] = name
	return name, nil
}
