package patients

import (
	"fmt"
	"strings"

	"frontdesk/projections"
)

// deeds are the entries of a timeline as people say them.
var deeds = map[projections.Kind]string{
	projections.KindNote:           "wrote a note",
	projections.KindRequest:        "sent a request",
	projections.KindConsultation:   "started a consultation",
	projections.KindRecordOpened:   "opened the record",
	projections.KindGlassBroken:    "opened the restricted record by giving a reason",
	projections.KindEnteredInError: "marked an entry as entered in error",

	projections.KindRequestOpened:    "looked at a request, or a file of it",
	projections.KindRequestCompleted: "completed a request",
	projections.KindRequestReopened:  "reopened a request",
	projections.KindRequestReLinked:  "moved a request from one patient to another",
}

// deed says what an entry is; by its own name if it has no words.
func deed(kind projections.Kind) string {
	if words, known := deeds[kind]; known {
		return words
	}
	return strings.ReplaceAll(string(kind), "-", " ")
}

// visits say how far an appointment has come.
var visits = map[projections.Status]string{
	projections.StatusBooked: "booked", projections.StatusCalledIn: "called in", projections.StatusAttended: "attended",
	projections.StatusDidNotAttend: "did not attend", projections.StatusCancelled: "cancelled",
}

// standing says how far a request has come.
func standing(r projections.InboxRow) string {
	switch {
	case r.InError:
		return "entered in error"
	case r.DoneAt != nil:
		return "done"
	case r.HolderName != "":
		return fmt.Sprintf("open, %s has it", r.HolderName)
	}
	return "new"
}
