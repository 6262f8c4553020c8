package opening

import (
	"strings"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// typeNames are the request types in plain words, in the plural.
var typeNames = map[request.Type]string{
	request.Medical: pagekit.RequestNames[request.Medical] + "s", request.Admin: pagekit.RequestNames[request.Admin] + "s",
}

// doneTexts maps the word in the page's address to its text about the last change.
var doneTexts = map[string]string{
	"off": "The requests have been switched off.", "on": "The requests have been switched on.",
	"pause": "The requests have been paused.", "resume": "The pause has been ended.",
	"hours": "The opening hours have been changed.", "close": "The closure has been added.", "reopen": "The closure has been ended.",
}

// Seen is the text for a patient about one request type at an instant.
type seen struct{ Now, Next string }

// seenNow is the current view of patients of a type, and the practice's settings.
type seenNow struct {
	seen
	Type  request.Type
	Name  string
	Hours []string // "" days are left out; none for all hours
}

func (s *Section) seenNow(found practice.Receptions, types ...request.Type) (all []seenNow) {
	for _, typ := range types {
		of := found.Reception(typ)
		all = append(all, seenNow{seenAt(of, s.Now(), s.Now()), typ, typeNames[typ], hoursInWords(of.Intake.Hours)})
	}
	return all
}

// seenAt returns the view of patients at an instant, and the next change that needs no
// action. Both come from practice.Reception, as for a patient's application.
func seenAt(r practice.Reception, at, now time.Time) seen {
	a := r.Availability(at)
	switch {
	case a.Status == practice.TypeDisabled:
		return seen{cannotSend + "they are switched off.", "Switched off until a manager switches it on."}
	case a.Status != practice.TypeOpen && a.NextOpening.IsZero():
		return seen{cannotSend + reasons[a.Status], "No reopening time set."}
	case a.Status != practice.TypeOpen:
		return seen{cannotSend + reasons[a.Status], "They can again from " + when(a.NextOpening, now, r.Zone) + "."}
	}
	closing := r.Closing(at)
	if closing.IsZero() {
		return seen{"Patients can send them.", "No closing time set."}
	}
	from, next := "From "+when(closing, now, r.Zone)+" they cannot, ", r.Availability(closing).NextOpening
	if next.IsZero() {
		return seen{"Patients can send them.", from + "and no one has said when they can again."}
	}
	return seen{"Patients can send them.", from + "until " + when(next, now, r.Zone) + "."}
}

const cannotSend = "Patients cannot send them: "

// reasons explain why requests are not taken at the moment.
var reasons = map[practice.Status]string{
	practice.TypePaused: "they are paused.",
	practice.TypeClosed: "the practice is closed or outside opening hours.",
}

// when formats an instant in the practice's time zone, with its year if that is not
// this one.
func when(t, now time.Time, zone *time.Location) string {
	text := pagekit.Clock(t, zone)
	if t.In(zone).Year() != now.In(zone).Year() {
		text += t.In(zone).Format(" 2006")
	}
	return middayInWords(text)
}

// middayInWords replaces the two times that 12 may mean by words.
func middayInWords(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "12:00am", "midnight"), "12:00pm", "midday")
}
