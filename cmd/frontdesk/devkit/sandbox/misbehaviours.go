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

// The sandbox's receiver behaves well at its own address, and misbehaves at others: each path
// is a way in which receivers fail. Another listener shows an untrusted certificate.
const (
	well      = "well"
	untrusted = "untrusted"
)

// ways are the paths at which the receiver misbehaves, with their handlers. well is the
// handler of all other paths.
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

// pauseThen answers after a pause, unless the client has gone.
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

// listenUntrusted receives with the certificate of an unknown authority.
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
func (i *instance) sendTo(ctx context.Context, way string) (string, error) {
	i.mu.RLock()
	defer i.mu.RUnlock()
	if i.now == nil {
		return "", errStopping
	}
	place, known := i.inbox.places()[way]
	if !known {
		return "", refused("The receiver does not know how to be %q: choose one of %s.", way, strings.Join(Ways(), ", "))
	}
	return place, setWebhooks(bySandbox(ctx), i.now.Desk, i.application, place)
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
