package application

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// ErrInvalidCallback refuses a callback that could harm a browser or its user.
var ErrInvalidCallback = fault.New(fault.Invalid, "invalid-callback",
	"A callback must be an absolute https URL, an http URL on loopback, or a URL of the application's own scheme. "+
		"It must have no user info and no fragment.")

// AddCallback allows redirects of staff to a callback after approval (rule 3).
func (a Application) AddCallback(callback string) ([]event.Event, error) {
	if err := CheckCallback(callback); err != nil {
		return nil, err
	}
	return a.change(!slices.Contains(a.callbacks, callback), CallbackAdded{callback})
}

// RemoveCallback removes a callback.
func (a Application) RemoveCallback(callback string) ([]event.Event, error) {
	return a.change(slices.Contains(a.callbacks, callback), CallbackRemoved{callback})
}

// barredSchemes run code, read files or show content of the sender's choice.
var barredSchemes = []string{"javascript", "data", "vbscript", "file", "blob", "about", "filesystem"}

// CheckCallback returns [ErrInvalidCallback] for a callback that may never be
// registered.
func CheckCallback(callback string) error {
	parsed, err := url.Parse(callback)
	switch {
	case err != nil, strings.ContainsFunc(callback, isUnsafe),
		!parsed.IsAbs(), slices.Contains(barredSchemes, parsed.Scheme),
		strings.Contains(callback, "#"), parsed.User != nil:
		return ErrInvalidCallback
	case parsed.Scheme == "https" && parsed.Hostname() != "",
		parsed.Scheme == "http" && IsLoopback(parsed.Hostname()),
		parsed.Scheme != "https" && parsed.Scheme != "http":
		return nil
	}
	return ErrInvalidCallback
}

// isUnsafe finds characters that browsers strip or rewrite before they parse a URL.
func isUnsafe(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' || r > 0x7e }

// IsLoopback reports whether a host name or address means the browser's own
// machine.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// WebhookEvent is a kind of event that is sent to applications.
type WebhookEvent string

// The event kinds.
const (
	RecordOpened        WebhookEvent = "record.opened"
	ConsultationStarted WebhookEvent = "consultation.started"
	CallInShown         WebhookEvent = "callin.notification.shown"
	CallInRemoved       WebhookEvent = "callin.notification.removed"
	RequestReplied      WebhookEvent = "request.replied" // only for the application that sent the request (D149)
)

// Ping is the kind of a webhook that an application requests to test its receiver. No
// address is registered for it: it goes to that of another kind (D94).
const Ping WebhookEvent = "ping"

// Webhook is an event kind that an address can be registered for, in words.
type Webhook struct {
	Event    WebhookEvent
	Happens  string // as a clause in the present: "a patient is called in"
	Happened string // as a clause in the past, about the patient of the record: "the call-in ended"
	Do       string // as a command, on a button: "Call the patient in"
}

// Webhooks returns the catalogue, in the order in which pages show it.
func Webhooks() []Webhook {
	return []Webhook{
		{RecordOpened, "a patient’s record is opened", "the record was opened", "Open the record"},
		{ConsultationStarted, "a consultation is started", "a consultation was started", "Start a consultation"},
		{CallInShown, "a patient is called in", "the patient was called in, by name", "Call the patient in"},
		{CallInRemoved, "a call-in is taken back", "the call-in ended", "Call in, and take it back"},
		{RequestReplied, "the practice answers a patient request that the application sent", "the practice’s answer was announced", "Send a request, and answer it"},
	}
}

// WebhookEvents returns every event kind that an address can be registered for.
func WebhookEvents() (events []WebhookEvent) {
	for _, w := range Webhooks() {
		events = append(events, w.Event)
	}
	return events
}

// FindWebhook returns the row of an event kind; false if the kind has no row.
func FindWebhook(kind WebhookEvent) (Webhook, bool) {
	for _, w := range Webhooks() {
		if w.Event == kind {
			return w, true
		}
	}
	return Webhook{}, false
}

// WebhookNames returns the event kinds as an alternative: "a, b or c".
func WebhookNames() string {
	var names []string
	for _, kind := range WebhookEvents() {
		names = append(names, string(kind))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// WebhookSet records the new address of one event kind.
type WebhookSet struct {
	Event WebhookEvent `json:"event"`
	URL   string       `json:"url"`
}

// WebhookRemoved records that webhooks of that kind are no longer sent.
type WebhookRemoved struct {
	Event WebhookEvent `json:"event"`
}

// EventName returns the name that the event is stored under.
func (WebhookSet) EventName() string { return "application.webhook-set.v1" }

// EventName returns the name that the event is stored under.
func (WebhookRemoved) EventName() string { return "application.webhook-removed.v1" }

// The refusals of a webhook's event kind and address.
var (
	ErrUnknownEvent         = fault.New(fault.Invalid, "unknown-event", "The event must be "+WebhookNames()+".")
	ErrWebhookNotRegistered = fault.New(fault.Refused, "webhook-not-registered",
		"No address is registered for webhooks of this event. Ask the operator of the service to register one.")
	ErrWebhookNotHTTPS = fault.New(fault.Invalid, "webhook-not-https", "A webhook's address must be an https URL.")
)

// SetWebhook sends webhooks of one event kind to an address (rule 6). The caller has
// checked the host: each deployment decides which hosts it may call.
func (a Application) SetWebhook(kind WebhookEvent, address string) ([]event.Event, error) {
	parsed, err := url.Parse(address)
	switch {
	case !slices.Contains(WebhookEvents(), kind):
		return nil, ErrUnknownEvent
	case err != nil || parsed.Scheme != "https":
		return nil, ErrWebhookNotHTTPS
	}
	return a.change(a.webhooks[kind] != address, WebhookSet{kind, address})
}

// WebhookOf returns the address that webhooks of one event kind go to.
func (a Application) WebhookOf(kind WebhookEvent) (address string, err error) {
	switch {
	case !a.registered:
		return "", ErrUnknown
	case !slices.Contains(WebhookEvents(), kind):
		return "", ErrUnknownEvent
	case a.webhooks[kind] == "":
		return "", ErrWebhookNotRegistered
	}
	return a.webhooks[kind], nil
}

// WithoutQuery returns an address of webhooks without its query, because some receivers keep a
// secret there.
func WithoutQuery(address string) string {
	shown, _, _ := strings.Cut(address, "?")
	return shown
}

// RemoveWebhook stops webhooks of one event kind.
func (a Application) RemoveWebhook(kind WebhookEvent) ([]event.Event, error) {
	if !slices.Contains(WebhookEvents(), kind) {
		return nil, ErrUnknownEvent
	}
	return a.change(a.webhooks[kind] != "", WebhookRemoved{kind})
}
