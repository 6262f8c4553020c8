package sandbox

import (
	"context"
	"net/http"
	"os"
	"strings"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/webhooks/receiver"
	"frontdesk/commands"
	"frontdesk/domain/application"
)

// The sandbox's receiver behaves well at its own address, and badly at others: each path
// is a way in which receivers fail. One more address shows a certificate that nobody
// trusts.
const (
	well      = "well"
	untrusted = "untrusted"
)

// ways are the paths of the receiver at which it behaves badly, and what it does there.
// well is what it does otherwise.
func ways(well http.Handler) map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"slow":   func(w http.ResponseWriter, r *http.Request) { pauseThen(w, r, lateBy, well) },
		"silent": func(w http.ResponseWriter, r *http.Request) { pauseThen(w, r, silentFor, http.NotFoundHandler()) },
		"error": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "out of order", http.StatusInternalServerError)
		},
		"redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusTemporaryRedirect) },
		"closed":   func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
}

const (
	lateBy    = 2 * time.Second
	silentFor = time.Minute // longer than any delivery waits
)

// pauseThen answers after a while, unless whoever waits has gone.
func pauseThen(w http.ResponseWriter, r *http.Request, pause time.Duration, then http.Handler) {
	if background.Sleep(r.Context(), pause) {
		then.ServeHTTP(w, r)
	}
}

// behaving answers by the path.
func behaving(well http.Handler) http.Handler {
	bad := ways(well)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if badly, ok := bad[strings.TrimPrefix(r.URL.Path, "/")]; ok {
			badly(w, r)
			return
		}
		well.ServeHTTP(w, r)
	})
}

// listenUntrusted receives with the certificate of an authority that nobody knows.
func listenUntrusted(ctx context.Context, handler http.Handler, now time.Time) (*receiver.Server, error) {
	dir, err := os.MkdirTemp("", "frontdesk-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	unknown, err := receiver.OpenAuthority(dir, now)
	if err != nil {
		return nil, err
	}
	return receiver.Listen(ctx, "127.0.0.1:0", unknown, handler, now)
}

// places are where the receiver behaves in each way.
func (i *inbox) places() map[string]string {
	places := map[string]string{well: i.server.URL(), untrusted: i.untrusted.URL()}
	for way := range ways(nil) {
		places[way] = i.server.URL() + way
	}
	return places
}

// sendTo has every kind of webhook sent to where the receiver behaves in a way.
func (h *house) sendTo(ctx context.Context, way string) (string, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if h.now == nil {
		return "", errStopping
	}
	place, known := h.inbox.places()[way]
	if !known {
		return "", refused("The receiver does not know how to be %q: choose one of %s.", way, strings.Join(Ways(), ", "))
	}
	return place, setWebhooks(bySandbox(ctx), h.now.Desk, h.application, place)
}

// Ways lists how the receiver can behave.
func Ways() []string {
	return []string{well, "slow", "error", "redirect", "closed", untrusted, "silent"}
}

// setWebhooks sends the sandbox application every kind of webhook.
func setWebhooks(ctx context.Context, desk commands.Desk, id application.ID, url string) error {
	for _, kind := range application.WebhookEvents() {
		err := desk.SetWebhook(ctx, commands.SetWebhook{Application: id, Event: kind, URL: url})
		if err != nil {
			return err
		}
	}
	return nil
}
