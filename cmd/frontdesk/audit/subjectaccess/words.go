package subjectaccess

import (
	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// Member is for [event.Actor.Words].
func (w *writer) Member(id uuid.UUID) (string, error) {
	return w.name("staff "+id.String(), func() (string, error) { return w.Directory.Staff(w.ctx, w.Practice.Tenant, id) })
}

// Application is for [event.Actor.Words].
func (w *writer) Application(id uuid.UUID) (string, error) {
	return w.name("application "+id.String(), func() (string, error) { return w.Directory.Application(w.ctx, id) })
}

// Practitioner is for [event.Actor.Words].
func (w *writer) Practitioner(claim event.OnBehalfOf) string {
	return claim.Practitioner.Name + " (" + claim.Organisation.Name + ")"
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

// name looks a name up once. Without a name it returns the identifier.
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
