package forward

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk.example/client"
)

// The bounds of an inbox.
const (
	maxBody = 64 << 10 // of a webhook, in bytes
	kept    = 100      // webhooks
	atOnce  = 64
)

// Webhook is one that came in, and its outcome.
type Webhook struct {
	Number   int // counts from 1
	At       time.Time
	Header   http.Header    // as it was sent
	Body     []byte         // likewise
	Verified client.Webhook // zero if it was refused
	Refused  string         // why it must not be believed; "" if it holds
	Attempts []Attempt      // of handing it on, oldest first
}

// Event is the name of the webhook's event; "" if it was refused.
func (w Webhook) Event() string {
	if w.Verified.Event == nil {
		return ""
	}
	return w.Verified.Event.Kind()
}

// Inbox receives webhooks. It is an [http.Handler].
type Inbox struct {
	Target *Target // nil to forward nothing
	Now    func() time.Time
	Heard  func(Webhook) // receives each, once its outcome is known

	verifier atomic.Pointer[client.Verifier]
	seats    chan struct{}

	mu    sync.Mutex
	count int
	box   []Webhook // oldest first
}

// NewInbox returns an empty inbox, which accepts nothing before [Inbox.Believe].
func NewInbox(target *Target, now func() time.Time, heard func(Webhook)) *Inbox {
	return &Inbox{Target: target, Now: now, Heard: heard, seats: make(chan struct{}, atOnce)}
}

// Believe sets the verifier of webhooks from now on.
func (i *Inbox) Believe(verifier *client.Verifier) { i.verifier.Store(verifier) }

// Close waits for the webhooks that are being received. It receives no others afterwards.
func (i *Inbox) Close() {
	for range atOnce {
		i.seats <- struct{}{}
	}
}

// Kept returns the newest webhooks, newest first.
func (i *Inbox) Kept() []Webhook {
	i.mu.Lock()
	defer i.mu.Unlock()
	newest := slices.Clone(i.box)
	slices.Reverse(newest)
	return newest
}

// ServeHTTP receives one webhook.
func (i *Inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case i.seats <- struct{}{}:
		defer func() { <-i.seats }()
	default:
		http.Error(w, "Too many webhooks come at once.", http.StatusServiceUnavailable)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Use POST.", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "The webhook cannot be read: "+err.Error(), http.StatusBadRequest)
		return
	}
	i.answer(w, i.take(r.Context(), Webhook{At: i.Now(), Header: r.Header.Clone(), Body: body}))
}

// answer sends the outcome of a webhook to the sender.
func (i *Inbox) answer(w http.ResponseWriter, webhook Webhook) {
	if webhook.Refused != "" {
		http.Error(w, "The webhook was refused: "+webhook.Refused, http.StatusBadRequest)
		return
	}
	if len(webhook.Attempts) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	attempt := webhook.Attempts[0]
	if attempt.Status < 200 { // none, or an interim one
		http.Error(w, "The webhook was not taken: "+attempt.Failure, http.StatusBadGateway)
		return
	}
	w.WriteHeader(attempt.Status)
}

// take verifies a webhook, hands it on, and keeps it.
func (i *Inbox) take(ctx context.Context, webhook Webhook) Webhook {
	var err error
	if webhook.Verified, err = i.verify(ctx, webhook.Body); err != nil {
		webhook.Refused = err.Error()
	} else if i.Target != nil {
		webhook.Attempts = []Attempt{i.Target.Send(ctx, i.Now(), webhook.Header, webhook.Body)}
	}
	webhook = i.keep(webhook)
	i.Heard(webhook)
	return webhook
}

var errNoVerifier = errors.New("no sandbox is known yet that could have sent it")

func (i *Inbox) verify(ctx context.Context, body []byte) (client.Webhook, error) {
	verifier := i.verifier.Load()
	if verifier == nil {
		return client.Webhook{}, errNoVerifier
	}
	return verifier.Verify(ctx, strings.TrimSpace(string(body)))
}

func (i *Inbox) keep(webhook Webhook) Webhook {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.count++
	webhook.Number = i.count
	i.box = append(i.box, webhook)
	if len(i.box) > kept {
		i.box = slices.Delete(i.box, 0, 1)
	}
	return webhook
}

// The refusals of sending a webhook again.
var (
	ErrGone     = errors.New("this webhook is no longer kept")
	ErrRefused  = errors.New("this webhook is not valid, so it is not forwarded")
	ErrNoTarget = errors.New("there is nowhere to send it: start frontdesk dev with --forward-to")
)

// Again forwards a webhook once more, at the user's request.
func (i *Inbox) Again(ctx context.Context, number int) (Webhook, error) {
	webhook, err := i.Find(number)
	switch {
	case err != nil:
		return webhook, err
	case webhook.Refused != "":
		return webhook, ErrRefused
	case i.Target == nil:
		return webhook, ErrNoTarget
	}
	attempt := i.Target.Send(ctx, i.Now(), webhook.Header, webhook.Body)
	return i.tried(number, attempt)
}

// Find returns a webhook that is kept.
func (i *Inbox) Find(number int) (Webhook, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	at := slices.IndexFunc(i.box, func(w Webhook) bool { return w.Number == number })
	if at < 0 {
		return Webhook{}, ErrGone
	}
	return i.box[at], nil
}

// attempts is how many of a webhook's attempts are kept.
const attempts = 10

func (i *Inbox) tried(number int, attempt Attempt) (Webhook, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	at := slices.IndexFunc(i.box, func(w Webhook) bool { return w.Number == number })
	if at < 0 {
		return Webhook{Attempts: []Attempt{attempt}}, nil
	}
	all := append(slices.Clone(i.box[at].Attempts), attempt)
	i.box[at].Attempts = all[max(0, len(all)-attempts):]
	return i.box[at], nil
}
