package live

import (
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/display"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/domain/written"
)

// Kind is what a page shows that changes by itself.
type Kind string

// The kinds.
const (
	Inbox Kind = "inbox"
	Day   Kind = "day"   // of a site
	Board Kind = "board" // of a site
)

// rights says what a member of staff has to be able to do to be told of a kind.
var rights = map[Kind]staff.Action{Inbox: staff.HandleRequests, Day: staff.RunTheDay, Board: staff.RunTheDay}

// Topic is what a page listens to.
type Topic struct {
	Kind Kind
	Site site.ID // zero for the inbox
}

// String returns the topic as a page names it, such as "inbox" or "day:SITE".
func (t Topic) String() string {
	if t.Site == (site.ID{}) {
		return string(t.Kind)
	}
	return string(t.Kind) + ":" + t.Site.String()
}

// mostTopics is how many topics a page has at most.
const mostTopics = 8

// parseTopics reads a list of topics with commas between them.
func parseTopics(list string) (topics []Topic, ok bool) {
	for name := range strings.SplitSeq(list, ",") {
		topic, ok := parseTopic(name)
		if !ok || len(topics) == mostTopics {
			return nil, false
		}
		topics = append(topics, topic)
	}
	return topics, true
}

func parseTopic(name string) (Topic, bool) {
	if Kind(name) == Inbox {
		return Topic{Kind: Inbox}, true
	}
	kind, at, _ := strings.Cut(name, ":")
	id, ok := written.SomeID(at)
	return Topic{Kind(kind), site.ID{UUID: id}}, ok && (Kind(kind) == Day || Kind(kind) == Board)
}

// Message says that something of a topic has changed.
type Message struct {
	Idx   int64 // of the event in the log
	Topic Topic
	What  string
	ID    uuid.UUID // of the request, the appointment or the display
}

// row is an event and what pages are told of it.
type row struct {
	of   event.Event
	tell func(event.Recorded) []Message
}

// rows is the catalogue: an event that is not in it changes no page by itself.
var rows = []row{
	inbox[request.Submitted]("submitted"),
	inbox[request.EnteredInError]("entered-in-error"),
	inbox[request.Taken]("taken"),
	inbox[request.Given]("given"),
	inbox[request.UrgencyChanged]("urgency-changed"),
	inbox[request.Noted]("noted"),
	inbox[request.Completed]("completed"),
	inbox[request.Reopened]("reopened"),
	inbox[request.ReLinked]("re-linked"),
	day("booked", func(e appointment.Booked) appointment.Subject { return e.Subject }),
	{appointment.Moved{}, moved},
	day("cancelled", func(e appointment.Cancelled) appointment.Subject { return e.Subject }),
	day("arrived", func(e appointment.Arrived) appointment.Subject { return e.Subject }),
	board("called-in", func(e appointment.CalledIn) appointment.Subject { return e.Subject }),
	board("call-in-removed", func(e appointment.CallInRemoved) appointment.Subject { return e.Subject }),
	{display.Removed{}, func(r event.Recorded) []Message {
		e := r.Event.(display.Removed)
		return []Message{{r.Idx, Topic{Board, e.Site}, "display-removed", e.Display.UUID}}
	}},
	day("did-not-attend", func(e appointment.DidNotAttend) appointment.Subject { return e.Subject }),
	day("attended", func(e appointment.Attended) appointment.Subject { return e.Subject }),
}

// inbox is told of an event in the stream of a request.
func inbox[E event.Event](what string) row {
	var of E
	return row{of, func(r event.Recorded) []Message {
		return []Message{{r.Idx, Topic{Kind: Inbox}, what, r.Stream.ID}}
	}}
}

// moved tells the day of the site where the patient is expected now, and of the one where
// they were.
func moved(r event.Recorded) []Message {
	e := r.Event.(appointment.Moved)
	told := []Message{{r.Idx, Topic{Day, e.Site}, "moved", e.Appointment.UUID}}
	if e.From != (site.ID{}) {
		told = append(told, Message{r.Idx, Topic{Day, e.From}, "moved", e.Appointment.UUID})
	}
	return told
}

// day is told of an event of an appointment.
func day[E event.Event](what string, subject func(E) appointment.Subject) row {
	return at(what, subject, Day)
}

// board is told, and so is the day.
func board[E event.Event](what string, subject func(E) appointment.Subject) row {
	return at(what, subject, Day, Board)
}

func at[E event.Event](what string, subject func(E) appointment.Subject, kinds ...Kind) row {
	var of E
	return row{of, func(r event.Recorded) (told []Message) {
		about := subject(r.Event.(E))
		for _, kind := range kinds {
			told = append(told, Message{r.Idx, Topic{kind, about.Site}, what, about.Appointment.UUID})
		}
		return told
	}}
}

// tells is the catalogue by the names of events.
var tells = func() map[string]func(event.Recorded) []Message {
	by := map[string]func(event.Recorded) []Message{}
	for _, r := range rows {
		by[r.of.EventName()] = r.tell
	}
	return by
}()
