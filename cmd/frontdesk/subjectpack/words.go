package subjectpack

import (
	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// deeds are what events, calls and webhooks are in plain words. What is not here is shown by
// its own name.
var deeds = map[string]string{
	"patient.registered.v1":                "registered the patient",
	"patient.details-changed.v1":           "changed the patient’s details",
	"patient.record-restricted.v1":         "restricted the record to named staff",
	"patient.restriction-lifted.v1":        "opened the record to all staff again",
	"care-record.opened.v1":                "opened the record",
	"care-record.glass-broken.v1":          "opened the restricted record for half an hour, and gave a reason",
	"care-record.note-created.v1":          "wrote a note",
	"care-record.note-entered-in-error.v1": "marked a note as entered in error",
	"patient-request.submitted.v1":         "sent a patient request",
	"patient-request.entered-in-error.v1":  "marked a patient request as entered in error",
	"patient-request.opened.v1":            "opened a patient request",
	"patient-request.taken.v1":             "took a patient request",
	"patient-request.given.v1":             "gave a patient request to a colleague",
	"patient-request.urgency-changed.v1":   "changed how urgent a patient request is",
	"patient-request.noted.v1":             "wrote a note about a patient request",
	"patient-request.completed.v1":         "completed a patient request",
	"patient-request.reopened.v1":          "reopened a patient request",
	"patient-request.re-linked.v1":         "linked a patient request to this patient",
	"attachment.opened.v1":                 "opened a file that was sent with a patient request",
	"appointment.booked.v1":                "booked an appointment",
	"appointment.moved.v1":                 "moved an appointment",
	"appointment.cancelled.v1":             "cancelled an appointment",
	"appointment.arrived.v1":               "marked the patient as arrived",
	"appointment.called-in.v1":             "called the patient in",
	"appointment.call-in-removed.v1":       "ended the call-in",
	"appointment.did-not-attend.v1":        "marked the patient as not attending",
	"appointment.attended.v1":              "began the appointment",
	"consultation.started.v1":              "started a consultation",
	"user-authorisation.granted.v1":        "let an application act for them with this patient",
	"user-authorisation.revoked.v1":        "stopped an application from acting for them with this patient",
	"audit.queried.v1":                     "read about the patient in the log",

	"create-patient-request": "call: send a patient request",
	"create-note":            "call: write a note",
	"retrieve-care-record":   "call: read the record",
	"open-care-record":       "call: open the record",
	"book-appointment":       "call: book an appointment",
	"start-consultation":     "call: start a consultation",

	"inbox":  "saw the patient on a page of requests",
	"search": "saw the patient among the results of a search",
	"day":    "saw the patient on the day’s page",
	"board":  "the waiting room’s display showed the patient",

	"record.opened":               "the record was opened",
	"consultation.started":        "a consultation was started",
	"callin.notification.shown":   "the patient was called in, by name",
	"callin.notification.removed": "the call-in ended",
}

// words returns what something is called in plain words.
func words(name string) string {
	if deed, known := deeds[name]; known {
		return deed
	}
	return name
}

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
