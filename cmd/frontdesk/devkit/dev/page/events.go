package page

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk.example/client"
)

// Event is a call or a webhook; the other one is nil.
type Event struct {
	ID      string // in the page
	At      time.Time
	Call    *client.JudgedCall
	Webhook *Delivery
}

// Name is the call's endpoint, or the webhook's event.
func (e Event) Name() string {
	if e.Call != nil {
		return e.Call.Endpoint
	}
	return cmp.Or(e.Webhook.Event, "not a webhook")
}

// Outcome is the answer in a few words.
func (e Event) Outcome() string {
	switch {
	case e.Call != nil:
		return strings.TrimSpace(fmt.Sprint(e.Call.Status, " ", http.StatusText(e.Call.Status)))
	case e.Webhook.Here == nil:
		return string(e.Webhook.Reported.Outcome)
	case e.Webhook.Here.Refused != "":
		return "refused"
	case len(e.Webhook.Here.Attempts) == 0:
		return "verified"
	}
	last := e.Webhook.Here.Attempts[len(e.Webhook.Here.Attempts)-1]
	if last.Failure != "" {
		return "not forwarded"
	}
	return fmt.Sprint("answered ", last.Status)
}

// Wrong reports whether it went wrong.
func (e Event) Wrong() bool {
	switch {
	case e.Call != nil:
		return e.Call.Status >= http.StatusBadRequest
	case e.Webhook.Here == nil:
		return e.Webhook.Reported.Outcome == client.Failed
	}
	here := e.Webhook.Here
	return here.Refused != "" || len(here.Attempts) > 0 && !here.Attempts[len(here.Attempts)-1].Fine()
}

// events returns the calls and the webhooks, newest first.
func (s State) events() []Event {
	var all []Event
	for _, c := range s.Calls {
		all = append(all, Event{ID: "call-" + c.RequestID, At: c.At, Call: &c})
	}
	for _, d := range s.Deliveries {
		id := "webhook-" + d.JTI
		if d.JTI == "" {
			id = fmt.Sprint("refused-", d.Here.Number)
		}
		all = append(all, Event{ID: id, At: d.At, Webhook: &d})
	}
	slices.SortStableFunc(all, func(a, b Event) int { return b.At.Compare(a.At) })
	return all
}

// filters are the kinds of events that the list can be limited to, by their name in the address.
var filters = []struct {
	name, title string
	has         func(Event) bool
}{
	{"", "All", func(Event) bool { return true }},
	{"calls", "Calls", func(e Event) bool { return e.Call != nil }},
	{"webhooks", "Webhooks", func(e Event) bool { return e.Webhook != nil }},
	{"problems", "Problems", Event.Wrong},
}

// view is the data of the template.
type view struct {
	State
	Token  string
	Only   string  // the filter
	Show   string  // the event that the address names; "" for the newest
	Shown  []Event // newest first
	Chosen Event   // whose details are shown; its ID is "" in an empty list
}

// viewOf limits a state to the filter of an address, and chooses its event.
func viewOf(s State, token string, asked url.Values) view {
	v := view{State: s, Token: token, Show: asked.Get("show")}
	at := max(0, slices.Index(v.Filters(), asked.Get("only")))
	v.Only = filters[at].name
	for _, e := range s.events() {
		if e.ID == v.Show {
			v.Chosen = e
		}
		if filters[at].has(e) {
			v.Shown = append(v.Shown, e)
		}
	}
	if v.Chosen.ID == "" && len(v.Shown) > 0 {
		v.Chosen = v.Shown[0]
	}
	return v
}

// Filters are the names of the filters.
func (view) Filters() (names []string) {
	for _, f := range filters {
		names = append(names, f.name)
	}
	return names
}

// Query is what the address says of the filter and the event.
func (v view) Query() string { return queryOf(v.Only, v.Show) }

// To is the address of the page with a filter, and an event unless it is empty.
func (view) To(only, show string) string { return "/" + queryOf(only, show) }

func queryOf(only, show string) string {
	asked := url.Values{}
	for name, value := range map[string]string{"only": only, "show": show} {
		if value != "" {
			asked.Set(name, value)
		}
	}
	if len(asked) == 0 {
		return ""
	}
	return "?" + asked.Encode()
}

func titleOf(filter string) string {
	for _, f := range filters {
		if f.name == filter {
			return f.title
		}
	}
	return filter
}
