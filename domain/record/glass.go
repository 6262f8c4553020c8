package record

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// GlassTime is how long a record stays open to a member of staff who has broken its
// glass.
const GlassTime = 30 * time.Minute

// MaxGlassReason is how many characters the reason for breaking the glass may have.
const MaxGlassReason = 500

// GlassBroken records that a member of staff has opened a record that is restricted to
// others. Its metadata has the member.
type GlassBroken struct {
	Patient patient.ID `json:"patient"`
	Reason  string     `json:"reason" personal:"patient"`
	Until   time.Time  `json:"until"` // the record is closed to them again from then on
}

// EventName returns the name that the event is stored under.
func (GlassBroken) EventName() string { return "care-record.glass-broken.v1" }

// PatientID returns the patient of the event.
func (g GlassBroken) PatientID() uuid.UUID { return g.Patient.UUID }

// The refusals about restricted records.
var (
	ErrClosed        = fault.New(fault.Forbidden, "record-closed", "This record is restricted to other members of staff. Give a reason to open it.")
	ErrNoGlassReason = fault.New(fault.Invalid, "missing-reason", "Say why you need to see this record, in at most 500 characters.")
)

// Sight is a member of staff's access to one patient's record. It is the one rule for
// reading a record on the practice's pages: the patient's answers, notes and history
// (rule 4).
type Sight struct {
	Restricted bool      // not all members of staff may see the record
	Closed     bool      // this one may not see it
	Until      time.Time // end of access after they have broken the glass; zero if they never have
}

// Open reports whether the member of staff may see the record at an instant.
func (s Sight) Open(now time.Time) bool { return !s.Closed || now.Before(s.Until) }

// ByGlass reports whether they may see it only because they have broken the glass.
func (s Sight) ByGlass(now time.Time) bool { return s.Closed && s.Open(now) }

// GlassStreamOf returns the stream of one member of staff's breaking the glass of one
// patient's record. So colleagues do not wait for each other.
func GlassStreamOf(tenant string, id patient.ID, member staff.ID) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("glass", tenant, id.String(), member.String())}
}

// Glass is the state of a broken glass that later decisions need.
type Glass struct{ until time.Time }

// Break opens the record for [GlassTime] (rule 4). While it is open already, it changes
// nothing, so that a repeated form counts once. The caller has made sure that the
// record is restricted to others.
func (g Glass) Break(about patient.ID, reason string, now time.Time) ([]event.Event, error) {
	reason = strings.TrimSpace(reason)
	if reason == "" || utf8.RuneCountInString(reason) > MaxGlassReason {
		return nil, ErrNoGlassReason
	}
	if now.Before(g.until) {
		return nil, nil
	}
	return []event.Event{GlassBroken{about, reason, now.Add(GlassTime)}}, nil
}

// Apply returns the glass after the event.
func (g Glass) Apply(e event.Event) Glass {
	if broken, ok := e.(GlassBroken); ok {
		g.until = broken.Until
	}
	return g
}

// Events returns the events of the stream of a broken glass.
func (Glass) Events() []event.Event { return []event.Event{GlassBroken{}} }
