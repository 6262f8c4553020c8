package request

import (
	"slices"
	"strings"
	"unicode/utf8"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// MaxText is how many characters staff may write at once about a request.
const MaxText = 10_000

// The refusals of those who handle a request. Whoever is slower is told so, and can see in
// the request's history who was faster.
var (
	ErrTaken     = fault.New(fault.Conflict, "patient-request-taken", "Look who has the patient request now: somebody else was faster.")
	ErrCompleted = fault.New(fault.Conflict, "patient-request-completed", "Reopen the patient request first: it is done.")
	ErrNotDone   = fault.New(fault.Conflict, "patient-request-not-done", "Leave the patient request open: it is not done, or somebody has reopened it.")
	ErrMoved     = fault.New(fault.Conflict, "patient-request-moved", "Look whose patient request it is now: somebody has linked it to another patient.")

	ErrChanged = fault.New(fault.Conflict, "patient-request-changed", "Look at the patient request again: somebody has changed it.")

	ErrUnknownOutcome = fault.New(fault.Invalid, "unknown-outcome",
		"Choose an outcome from replied, appointment-booked, signposted and no-action-needed.")
	ErrInvalidText = fault.New(fault.Invalid, "invalid-text", "Write something, in at most 10,000 characters.")
	ErrLongText    = fault.New(fault.Invalid, "text-too-long", "Write at most 10,000 characters.")
)

// Take gives the request to somebody if nobody has it (rule 4).
func (r Request) Take(by staff.ID) ([]event.Event, error) {
	switch {
	case !r.submitted:
		return nil, ErrUnknown
	case r.done:
		return nil, ErrCompleted
	case r.holder == by:
		return nil, nil
	case r.holder != staff.ID{}:
		return nil, ErrTaken
	}
	return []event.Event{Taken{r.about, by}}, nil
}

// Give gives the request from whoever has it, as the giver has seen it, to somebody else.
// A zero from stands for nobody. The caller has made sure that the other is active.
func (r Request) Give(from, to staff.ID) ([]event.Event, error) {
	switch {
	case !r.submitted:
		return nil, ErrUnknown
	case r.done:
		return nil, ErrCompleted
	case r.holder == to:
		return nil, nil
	case r.holder != from:
		return nil, ErrTaken
	}
	return []event.Event{Given{r.about, from, to}}, nil
}

// ChangeUrgency says whether the request is urgent.
func (r Request) ChangeUrgency(urgent bool) ([]event.Event, error) {
	switch {
	case !r.submitted:
		return nil, ErrUnknown
	case r.urgent == urgent:
		return nil, nil
	}
	return []event.Event{UrgencyChanged{r.about, urgent}}, nil
}

// Note adds a note of the practice for itself, also to a request that is done.
func (r Request) Note(text string) ([]event.Event, error) {
	text, err := textOf(text)
	if err != nil {
		return nil, err
	}
	if !r.submitted {
		return nil, ErrUnknown
	}
	return []event.Event{Noted{r.about, text}}, nil
}

// Complete ends the request (rule 5). The text may be left out.
func (r Request) Complete(by staff.ID, outcome Outcome, text string) ([]event.Event, error) {
	text, err := textOf(text)
	switch {
	case !slices.Contains(Outcomes(), outcome):
		return nil, ErrUnknownOutcome
	case err != nil && text != "":
		return nil, ErrLongText
	case !r.submitted:
		return nil, ErrUnknown
	case r.done:
		return nil, ErrCompleted
	case r.holder != staff.ID{} && r.holder != by:
		return nil, ErrTaken
	}
	return []event.Event{Completed{r.about, by, outcome, text}}, nil
}

// Reopen takes a request that is done.
func (r Request) Reopen(by staff.ID, reason string) ([]event.Event, error) {
	reason, err := textOf(reason)
	switch {
	case err != nil:
		return nil, err
	case !r.submitted:
		return nil, ErrUnknown
	case !r.done:
		return nil, ErrNotDone
	}
	return []event.Event{Reopened{r.about, by, reason}}, nil
}

// ReLink links the request from the patient whose it is, as the member of staff has seen
// it, to another (rule 6). The caller has made sure that the other exists.
func (r Request) ReLink(from, to patient.ID, reason string) ([]event.Event, error) {
	reason, err := textOf(reason)
	switch {
	case err != nil:
		return nil, err
	case !r.submitted:
		return nil, ErrUnknown
	case r.about == to:
		return nil, nil
	case r.about != from:
		return nil, ErrMoved
	}
	return []event.Event{ReLinked{to, r.about, reason}}, nil
}

// textOf reads what somebody wrote, without the space around it. With [ErrInvalidText] it
// returns what is too long, and "" if nothing was written.
func textOf(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" || utf8.RuneCountInString(text) > MaxText || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return text, ErrInvalidText
	}
	return text, nil
}
