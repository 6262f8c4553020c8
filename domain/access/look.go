package access

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// ByPage is the mode of a [Look]. No application can be granted it.
const ByPage application.Mode = "page"

// Look returns the line of the access record for a page that has shown patients to a
// member of staff (D91). Topic is the page's, such as "inbox"; it takes the place of a
// call's endpoint, and contains no names. A page without results has a line as well.
func Look(requestID uuid.UUID, at time.Time, tenant string, by staff.ID, topic string, patients []patient.ID) Call {
	return Call{
		RequestID: requestID, At: at.UTC().Truncate(time.Microsecond), Tenant: tenant, Mode: ByPage, Staff: by,
		Endpoint: application.EndpointName(topic), Patients: patients, Status: 200,
	}
}

// ShownTo returns the line of the access record for an answer that has shown patients which
// its caller did not name (D147). The call has a line of its own. The topic of this one has
// the endpoint, the application and the things that were shown.
func ShownTo(requestID uuid.UUID, at time.Time, by Caller, patients []patient.ID, things ...uuid.UUID) Call {
	return Look(requestID, at, by.Tenant, by.Staff, shownTopic(by.Endpoint.Name, by.Application, things...), patients)
}

func shownTopic(endpoint application.EndpointName, app application.ID, things ...uuid.UUID) string {
	topic := string(endpoint) + ":" + app.String()
	for _, thing := range things {
		topic += ":" + thing.String()
	}
	return topic
}

// AnswerTopic is the topic of the lines that an application was shown the practice's answer to
// a request. Event is that of the answer.
func AnswerTopic(app application.ID, asked, event uuid.UUID) string {
	return shownTopic(RequestOutcome, app, asked, event)
}

// ShownBy returns the endpoint and the application in a topic of [ShownTo]; false if it is
// another topic.
func ShownBy(topic string) (endpoint Endpoint, app application.ID, ok bool) {
	name, rest, _ := strings.Cut(topic, ":")
	text, _, _ := strings.Cut(rest, ":")
	if endpoint, ok = Find(application.EndpointName(name)); !ok {
		return endpoint, app, false
	}
	id, err := uuid.Parse(text)
	return endpoint, application.ID{UUID: id}, err == nil
}

// LineKind is a kind of line of the access record.
type LineKind string

// The kinds of line.
const (
	CallLines LineKind = "call" // of [Call]
	LookLines LineKind = "look" // of [Look] and [ShownTo]
)

// Looked reports whether the line is a [Look] and not a call.
func (c Call) Looked() bool { return c.Mode == ByPage }

// Names reports whether the call names the patient, or the page has shown them.
func (c Call) Names(id patient.ID) bool { return c.Patient == id || slices.Contains(c.Patients, id) }

// Actor returns the caller or the viewer: a member of staff, an application that was shown
// patients, or a display, whose topic is its text form as an actor.
func (c Call) Actor() event.Actor {
	if _, app, shown := ShownBy(string(c.Endpoint)); shown && c.Looked() {
		if c.Staff.UUID == uuid.Nil {
			return event.Application(app.UUID, string(application.ApplicationRestricted), nil)
		}
		return event.Staff(c.Staff.UUID).Through(app.UUID, string(application.UserRestricted), nil)
	}
	switch {
	case c.Looked() && c.Staff.UUID == uuid.Nil:
		_, screen, _ := strings.Cut(string(c.Endpoint), ":")
		id, _ := uuid.Parse(screen) // zero if it is none
		return event.Display(id)
	case c.Looked():
		return event.Staff(c.Staff.UUID)
	case c.Staff.UUID == uuid.Nil:
		return event.Application(c.Application.UUID, string(c.Mode), c.Act)
	}
	return event.Staff(c.Staff.UUID).Through(c.Application.UUID, string(c.Mode), c.Act)
}

// shownPatients is the stored form of the patients that a page has shown. It is permanent,
// because its digest is in signed trees. It takes the place of a call's act claim: so
// the form of a line's leaf is unchanged, and signers and verifiers need no case for
// looks.
type shownPatients struct {
	Patients []patient.ID `json:"patients"`
}

// ShownPatients returns the stored form of the patients of a look.
func (c Call) ShownPatients() string {
	text, _ := json.Marshal(shownPatients{append([]patient.ID{}, c.Patients...)}) // cannot fail: it holds only identifiers
	return string(text)
}

// ParseShownPatients parses the result of [Call.ShownPatients]. It returns nil if there are no patients.
func ParseShownPatients(text string) ([]patient.ID, error) {
	var s shownPatients
	if err := json.Unmarshal([]byte(text), &s); err != nil || len(s.Patients) == 0 {
		return nil, err
	}
	return s.Patients, nil
}
