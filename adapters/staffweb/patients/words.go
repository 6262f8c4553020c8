package patients

import (
	"fmt"
	"strings"
	"time"

	"frontdesk/domain/request"
	"frontdesk/projections"
)

const (
	bornHint = "For example, 29 2 1980"
	errBorn  = "Give a date of birth as day, month and year, such as 29 2 1980"
)

// readDate reads a day as people type it, such as 29/2/1980, or as 1980-02-29; "" is no
// day, and is as good.
func readDate(text string) (date string, ok bool) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" /.-\u2010\u2011\u2013", r) })
	if len(parts) == 0 {
		return "", strings.TrimSpace(text) == ""
	}
	plain := strings.Join(parts, "-")
	for _, form := range []string{time.DateOnly, "2-1-2006", "2-January-2006", "2-Jan-2006"} {
		if day, err := time.Parse(form, plain); err == nil {
			return day.Format(time.DateOnly), true
		}
	}
	return "", false
}

// bornOn writes a date of birth; "" if it is unknown.
func bornOn(date string) string {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return day.Format("2 January 2006")
}

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

// requestNames are the types of requests.
var requestNames = map[request.Type]string{request.Medical: "Medical request", request.Admin: "Admin request"}

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

// dayAndTime writes an instant as the clocks of the practice show it, with its year.
func dayAndTime(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("2 January 2006 at 3:04pm")
}
