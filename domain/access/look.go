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
// member of staff (D91). Topic is the page's, such as "inbox"; it stands where calls have
// their endpoint, and names nobody. A page that looked and found nobody has a line, too.
func Look(requestID uuid.UUID, at time.Time, tenant string, by staff.ID, topic string, patients []patient.ID) Call {
	return Call{
		RequestID: requestID, At: at.UTC().Truncate(time.Microsecond), Tenant: tenant, Mode: ByPage, Staff: by,
		Endpoint: application.EndpointName(topic), Patients: patients, Status: 200,
	}
}

// Looked reports whether it is a [Look], and no call.
func (c Call) Looked() bool { return c.Mode == ByPage }

// Names reports whether the call names a patient, or the page has shown them.
func (c Call) Names(id patient.ID) bool { return c.Patient == id || slices.Contains(c.Patients, id) }

// Actor returns who called, or who looked: a member of staff, or a display, whose topic is
// the display as an actor is written.
func (c Call) Actor() event.Actor {
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

// shown is the stored form of whom a page has shown. It is permanent, because its digest
// is in signed trees. It stands where a call has its act claim, so that a line's leaf has
// the same form as ever, and who signs or verifies need not know of looks.
type shown struct {
	Patients []patient.ID `json:"patients"`
}

// Shown returns the stored form of the patients of a look.
func (c Call) Shown() string {
	text, _ := json.Marshal(shown{append([]patient.ID{}, c.Patients...)}) // cannot fail: it holds only identifiers
	return string(text)
}

// ReadShown reads back what [Call.Shown] has returned. It returns nil for nobody.
func ReadShown(text string) ([]patient.ID, error) {
	var s shown
	if err := json.Unmarshal([]byte(text), &s); err != nil || len(s.Patients) == 0 {
		return nil, err
	}
	return s.Patients, nil
}
