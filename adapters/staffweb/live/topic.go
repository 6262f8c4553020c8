package live

import (
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/appointment"
	"frontdesk/domain/display"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/domain/parse"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// Kind is a kind of live page.
type Kind string

// The kinds.
const (
	Inbox Kind = "inbox"
	Day   Kind = "day"   // of a site
	Board Kind = "board" // of a site
)

// rights maps a kind to the action that a member of staff must have the right to.
var rights = map[Kind]staff.Action{Inbox: staff.HandleRequests, Day: staff.RunTheDay, Board: staff.RunTheDay}

// Topic is the subject of a live page.
type Topic struct {
	Kind Kind
	Site site.ID // zero for the inbox
}

// String returns the topic as pages write it, such as "inbox" or "day:SITE".
func (t Topic) String() string {
	if t.Site == (site.ID{}) {
		return string(t.Kind)
	}
	return string(t.Kind) + ":" + t.Site.String()
}

// mostTopics limits the topics of a page.
const mostTopics = 8

// parseTopics parses a comma-separated list of topics.
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
	id, ok := parse.SomeID(at)
	return Topic{Kind(kind), site.ID{UUID: id}}, ok && (Kind(kind) == Day || Kind(kind) == Board)
}

// Message is the notification of a change in a topic.
type Message struct {
	Idx   int64 // of the event in the log
	Topic Topic
	What  string
	ID    uuid.UUID // of the request, the appointment or the display
}

// row is an event, and the kinds of topics that show it.
type row struct {
	event event.Event
	kinds []Kind
}

var (
	inboxOnly   = []Kind{Inbox}
	dayOnly     = []Kind{Day}
	boardOnly   = []Kind{Board}
	dayAndBoard = []Kind{Day, Board}
)

// rows is the table of topics: an event that is not listed changes no live page.
var rows = []row{
	{request.Submitted{}, inboxOnly},
	{request.EnteredInError{}, inboxOnly},
	{request.Taken{}, inboxOnly},
	{request.Given{}, inboxOnly},
	{request.GivenToTeam{}, inboxOnly},
	{request.PutOff{}, inboxOnly},
	{request.UrgencyChanged{}, inboxOnly},
	{request.Noted{}, inboxOnly},
	{request.Completed{}, inboxOnly},
	{request.Reopened{}, inboxOnly},
	{request.ReLinked{}, inboxOnly},
	{request.Opened{}, inboxOnly},
	{appointment.Booked{}, dayOnly},
	{appointment.Moved{}, dayOnly},
	{appointment.Planned{}, dayOnly},
	{appointment.Cancelled{}, dayOnly},
	{appointment.Arrived{}, dayOnly},
	{appointment.ArrivalCleared{}, dayOnly},
	{appointment.CalledIn{}, dayAndBoard},
	{appointment.CallInRemoved{}, dayAndBoard},
	{appointment.DidNotAttend{}, dayOnly},
	{appointment.DidNotAttendCleared{}, dayOnly},
	{appointment.Attended{}, dayOnly},
	{display.Removed{}, boardOnly},
}

// kindsOf are the kinds of topics that show an event, by the event's name.
var kindsOf = func() map[string][]Kind {
	by := map[string][]Kind{}
	for _, r := range rows {
		by[r.event.EventName()] = r.kinds
	}
	return by
}()

// messages returns a message for each topic that shows the event.
func messages(r event.Recorded) (all []Message) {
	for _, kind := range kindsOf[r.EventName()] {
		for _, at := range sitesOf(r.Event) {
			all = append(all, Message{r.Idx, Topic{kind, at}, changeOf(r.Event), idOf(r)})
		}
	}
	return all
}

// idOf returns the request, the appointment or the display of an event. An opening of a request is
// a stream of its own.
func idOf(r event.Recorded) uuid.UUID {
	if opened, is := r.Event.(request.Opened); is {
		return opened.Request.UUID
	}
	return r.Stream.ID
}

// sitesOf returns the sites whose pages show an event: for a move to another site,
// both. The inbox has the zero site.
func sitesOf(e event.Event) []site.ID {
	switch e := e.(type) {
	case appointment.Moved:
		if e.From != (site.ID{}) {
			return []site.ID{e.Site, e.From}
		}
		return []site.ID{e.Site}
	case appointment.Event:
		return []site.ID{e.EventSubject().Site}
	case display.Removed:
		return []site.ID{e.Site}
	}
	return []site.ID{{}}
}

// nouns are removed from event names, because the topic implies them.
var nouns = strings.NewReplacer("patient-request.", "", "appointment.", "", ".v1", "", ".", "-")

// changeOf returns the change, such as "called-in" for appointment.called-in.v1.
func changeOf(e event.Event) string { return nouns.Replace(e.EventName()) }

// Follows returns an event of each type that a source must return.
func Follows() []event.Event {
	follows := []event.Event{epoch.Begun{}}
	for _, r := range rows {
		follows = append(follows, r.event)
	}
	return follows
}
