package catalogue

import "strings"

// Kind is the kind of an entry in a patient's timeline. Kinds are stored, so
// their names are permanent.
type Kind string

// The kinds.
const (
	KindNote         Kind = "note"
	KindRequest      Kind = "patient-request"
	KindConsultation Kind = "consultation"
	KindRecordOpened Kind = "record-opened"
	KindGlassBroken  Kind = "glass-broken"

	KindRequestOpened    Kind = "patient-request-opened" // or a file of it
	KindRequestCompleted Kind = "patient-request-completed"
	KindRequestReopened  Kind = "patient-request-reopened"

	// KindRequestReLinked is an entry of both patients, the former and the
	// present one. All other entries of the request move to the present one.
	KindRequestReLinked Kind = "patient-request-re-linked"

	// KindEnteredInError marks a note or a request that should not have been made.
	KindEnteredInError Kind = "entered-in-error"
)

// kindWords are the words of kinds that a timeline words differently from the
// rows of their events: in a timeline, "a request" is the patient's.
var kindWords = map[Kind]string{
	KindRequest:        "sent a request",
	KindGlassBroken:    "opened the restricted record by giving a reason",
	KindEnteredInError: "marked an entry as entered in error",

	KindRequestOpened:    "looked at a request, or a file of it",
	KindRequestCompleted: "completed a request",
	KindRequestReopened:  "reopened a request",
	KindRequestReLinked:  "moved a request from one patient to another",
}

// Words returns the words of an entry, which follow the name of the actor:
// "wrote a note". A kind without a row, from a later release, has the words of
// its name.
func (k Kind) Words() string {
	if words, ok := kindWords[k]; ok {
		return words
	}
	for _, r := range rows {
		if r.Timeline == k {
			return r.Words
		}
	}
	return strings.ReplaceAll(string(k), "-", " ")
}
