package subjectaccess

import (
	"cmp"
	"iter"
	"strings"
	"time"

	"frontdesk/domain/authorisation"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/projections/history"
)

// act is something that the practice did about a request or about the patient's data,
// with everything that was written or chosen.
type act struct {
	Request     *request.ID `json:"patientRequestId,omitempty"` // nil if it is about no request
	SubmittedAt *time.Time  `json:"submittedAt,omitempty"`      // when the request was sent
	At          time.Time   `json:"at"`
	By          string      `json:"by"`
	What        string      `json:"what"` // in words that follow By
	Details     []detail    `json:"details,omitempty"`
}

// detail is a text or a choice of an act.
type detail struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// ofRequests yields what the practice did about patient requests, oldest first.
func (w *writer) ofRequests() iter.Seq[act] { return w.acts(w.handling) }

// ofData yields what the practice did about the patient's data as a whole, oldest first.
func (w *writer) ofData() iter.Seq[act] { return w.acts(w.protection) }

// acts yields an act for each event of which details returns true.
func (w *writer) acts(details func(event.Event) ([]detail, bool, error)) iter.Seq[act] {
	return each(w, func(e event.Recorded) (item act, has bool, err error) {
		item.At, item.What = e.At, history.Describe(e.EventName())
		item.Details, has, err = details(e.Event)
		if err != nil || !has {
			return item, has, err
		}
		if sent, ok := w.sent[e.Stream.ID]; ok {
			item.Request, item.SubmittedAt = &request.ID{UUID: e.Stream.ID}, &sent
		}
		item.By, err = e.Metadata.Actor.Words(w)
		return item, true, err
	})
}

// outcomeWords are the outcomes of requests, as patients read them.
var outcomeWords = map[request.Outcome]string{
	request.Replied:           "The practice replied",
	request.AppointmentBooked: "Appointment booked",
	request.Signposted:        "Another service is responsible, and the practice named it",
	request.NoActionNeeded:    "No action needed",
}

// handling returns the details of an event of the practice's work on a request. The former
// patient of a request is another person, so no detail names them.
func (w *writer) handling(e event.Event) (details []detail, is bool, err error) {
	switch e := e.(type) {
	case request.Taken:
		return nil, true, nil
	case request.Given:
		name, err := w.Member(e.To.UUID)
		return []detail{{"To", name}}, true, err
	case request.GivenToTeam:
		name, err := w.name("team "+e.Team.String(), func() (string, error) { return w.Directory.Team(w.ctx, w.Practice.Tenant, e.Team.UUID) })
		return []detail{{"To", name}}, true, err
	case request.PutOff:
		return []detail{{"Until", e.Until}}, true, nil
	case request.UrgencyChanged:
		if e.Urgent {
			return []detail{{"Now", "urgent"}}, true, nil
		}
		return []detail{{"Now", "not urgent"}}, true, nil
	case request.Noted:
		return []detail{{"Note", e.Text}}, true, nil
	case request.Completed:
		details = []detail{{"Outcome", outcomeWords[e.Outcome]}}
		if e.Text != "" {
			details = append(details, detail{"Text", e.Text})
		}
		return details, true, nil
	case request.Answered:
		return []detail{{"Answer", e.Text}}, true, nil
	case request.Reopened:
		return []detail{{"Reason", e.Reason}}, true, nil
	case request.ReLinked:
		return []detail{{"Reason", e.Reason}}, true, nil
	case request.EnteredInError:
		return []detail{{"Reason", e.Reason}}, true, nil
	}
	return nil, false, nil
}

// protection returns the details of an event that opened, restricted, kept or erased the
// patient's data, set their contact details, or let an application act with it.
func (w *writer) protection(e event.Event) (details []detail, is bool, err error) {
	switch e := e.(type) {
	case record.GlassBroken:
		return []detail{{"Reason", e.Reason}, {"Until", w.when(e.Until)}}, true, nil
	case patient.ContactDetailsSet:
		return []detail{{"Telephone", orNone(e.Telephone)}, {"Email", orNone(e.Email)}, {"NHS number", orNone(e.NHSNumber)}}, true, nil
	case patient.RecordRestricted:
		names, err := w.members(e)
		return []detail{{"To", names}}, true, err
	case patient.RestrictionLifted:
		return nil, true, nil
	case patient.ErasureRequested:
		return []detail{{"Basis", e.Basis.Words()}, {"Reason", e.Reason}}, true, nil
	case patient.ErasureWithdrawn:
		return []detail{{"Reason", e.Reason}}, true, nil
	case patient.ErasureHeld:
		return reasonOf(e.Hold), true, nil
	case patient.ErasureHoldLifted:
		return reasonOf(e.Hold), true, nil
	case authorisation.Granted:
		name, err := w.Application(e.Application.UUID)
		return []detail{{"Application", name}, {"Until", w.when(e.ExpiresAt)}}, true, err
	case authorisation.Revoked:
		name, err := w.Application(e.Application.UUID)
		return []detail{{"Application", name}}, true, err
	}
	return nil, false, nil
}

func orNone(text string) string { return cmp.Or(text, "none") }

func reasonOf(h erasure.Hold) []detail { return []detail{{"Reason", h.Reason}} }

// members returns the names of the staff who may still see a restricted record.
func (w *writer) members(e patient.RecordRestricted) (string, error) {
	var names []string
	for _, id := range e.Staff {
		name, err := w.Member(id.UUID)
		if err != nil {
			return "", err
		}
		names = append(names, name)
	}
	if names == nil {
		return "no one", nil
	}
	return strings.Join(names, ", "), nil
}
