package requests

import (
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// outcomeNames are the outcomes of a request, as a choice and in its history.
var outcomeNames = map[request.Outcome]string{
	request.Replied:           "We replied to them",
	request.AppointmentBooked: "An appointment was booked",
	request.Signposted:        "We told them who else can help",
	request.NoActionNeeded:    "Nothing had to be done",
}

// tabNames are the tabs in plain words.
var tabNames = map[projections.InboxTab]string{
	projections.InboxNew: "New", projections.InboxMine: "Mine", projections.InboxOpen: "Open", projections.InboxDone: "Done",
}

// emptyWords is the text of an empty tab.
func emptyWords(f projections.InboxFilter) string {
	switch {
	case f.Type != "" || f.Urgent || f.After != projections.InboxPlace{}:
		return "No requests like these."
	case f.Tab == projections.InboxNew:
		return "Nobody is waiting: there are no new requests."
	case f.Tab == projections.InboxMine:
		return "You have no requests."
	case f.Tab == projections.InboxOpen:
		return "Nobody has a request at the moment."
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

// ageText formats a waiting time in one unit, rounded down.
func ageText(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "received just now"
	case d < time.Hour:
		return "received " + pagekit.Counted(int(d/time.Minute), "minute") + " ago"
	case d < 48*time.Hour:
		return "received " + pagekit.Counted(int(d/time.Hour), "hour") + " ago"
	}
	return "received " + pagekit.Counted(int(d/(24*time.Hour)), "day") + " ago"
}

// eventClause describes an event of a request: a clause, and the text.
func eventClause(r *pagekit.Request, h projections.HistoryEntry) (clause, text string) {
	who := pagekit.ActorName(r, h)
	switch e := h.Event.(type) {
	case request.Submitted:
		return who + " sent this", ""
	case request.Taken:
		return who + " took this", ""
	case request.Given:
		return who + " gave this to " + recipientName(r, e, h.To), ""
	case request.UrgencyChanged:
		if e.Urgent {
			return who + " marked this as urgent", ""
		}
		return who + " marked this as not urgent", ""
	case request.Noted:
		return who + " wrote a note", e.Text
	case request.Completed:
		return who + " completed this (" + outcomeNames[e.Outcome] + ")", e.Text
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
		return "nobody"
	}
	return pagekit.Plain(name)
}

// doneWords are a page's texts about the last action, by its name.
var doneWords = map[string]string{
	"take":       "You have this request now.",
	"give":       "You have given the request to a colleague.",
	"urgent":     "The request is marked as urgent.",
	"not-urgent": "The request is no longer marked as urgent.",
	"note":       "Your note has been added.",
	"complete":   "The request is completed.",
	"reopen":     "The request is open again, and you have it.",
	"move":       "The request has been moved to this patient.",
}
