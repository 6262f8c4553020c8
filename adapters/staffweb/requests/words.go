package requests

import (
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/history"
)

// outcomeNames are the outcomes of a request, as a choice and in its history.
var outcomeNames = map[request.Outcome]string{
	request.Replied:           "Replied to patient",
	request.AppointmentBooked: "Appointment booked",
	request.Signposted:        "Signposted elsewhere",
	request.NoActionNeeded:    "No action needed",
}

// tabNames are the tabs in plain words.
var tabNames = map[projections.InboxTab]string{
	projections.InboxNew: "New", projections.InboxMine: "Assigned to me", projections.InboxOpen: "In progress", projections.InboxLater: "Later", projections.InboxDone: "Done",
}

// emptyWords is the text of an empty tab.
func emptyWords(f projections.InboxFilter) string {
	switch {
	case f.Type != "" || f.Urgent || f.After != projections.InboxPlace{}:
		return "No requests match your filters."
	case f.Tab == projections.InboxNew:
		return "No new requests."
	case f.Tab == projections.InboxMine:
		return "You have no requests."
	case f.Tab == projections.InboxOpen:
		return "No requests in progress."
	case f.Tab == projections.InboxLater:
		return "No requests wait for a later day."
	}
	return "No request has been completed yet."
}

// typesOf are the types of the inbox filter.
func typesOf(chosen request.Type) (options []pagekit.Option) {
	for _, kind := range request.Types() {
		options = append(options, pagekit.Option{Value: string(kind), Name: pagekit.RequestNames[kind] + "s", Chosen: kind == chosen})
	}
	return options
}

// filesWords counts files; "" for none.
func filesWords(n int) string {
	if n == 0 {
		return ""
	}
	return pagekit.Counted(n, "file")
}

// typeNames are the types as the list shows them.
var typeNames = map[request.Type]string{request.Medical: "Medical", request.Admin: "Admin"}

// eventClause describes an event of a request: a clause, and the text.
func eventClause(r *pagekit.Request, h history.Entry) (clause, text string) {
	who := pagekit.ActorName(r, h)
	switch e := h.Event.(type) {
	case request.Submitted:
		return who + " sent this", ""
	case request.Taken:
		return who + " took this", ""
	case request.Given:
		return who + " gave this to " + recipientName(r, e, h.To), ""
	case request.GivenToTeam:
		return who + " gave this to the team " + pagekit.Plain(h.To), ""
	case request.PutOff:
		return who + " put this off until " + dayOf(e.Until), ""
	case request.UrgencyChanged:
		if e.Urgent {
			return who + " marked this as urgent", ""
		}
		return who + " marked this as not urgent", ""
	case request.Noted:
		return who + " wrote a note", e.Text
	case request.Completed:
		return who + " completed this (" + outcomeNames[e.Outcome] + ")", e.Text
	case request.Answered:
		return who + " answered the patient", e.Text
	case request.Reopened:
		return who + " reopened this", e.Reason
	case request.ReLinked:
		return who + " moved this from another patient", e.Reason
	case request.EnteredInError:
		return who + " marked this as entered in error", e.Reason
	}
	return who + " changed this", ""
}

func recipientName(r *pagekit.Request, e request.Given, name string) string {
	switch e.To {
	case r.Session.Staff:
		return "you"
	case staff.ID{}:
		return "no one"
	}
	return pagekit.Plain(name)
}

// dayOf is a date, such as 2026-05-03, in words.
func dayOf(date string) string {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return day.Format("2 January 2006")
}

// doneWords are a page's texts about the last action, by its name.
var doneWords = map[string]string{
	"take":       "Request assigned to you.",
	"give":       "The request is assigned.",
	"put-off":    "The request is in Later until that day.",
	"urgent":     "The request is marked as urgent.",
	"not-urgent": "The request is no longer marked as urgent.",
	"booked":     "The appointment is booked. Complete the request if nothing else is to do.",
	"note":       "Your note has been added.",
	"complete":   "The request is completed.",
	"next":       "The request is completed. This is the next one.",
	"last":       "The request is completed. It was the last one in the list.",
	"reopen":     "The request is open again, and you have it.",
	"move":       "The request has been moved to this patient.",
}
