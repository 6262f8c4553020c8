package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
)

// Receiver is a receiver of webhooks that is tried out. URL, Service, Client and Now are
// needed.
type Receiver struct {
	URL       string
	Processed string       // answers how many webhooks were processed, as a number; "" if nothing does
	Service   *Service     // whose keys the receiver is configured to use
	Client    *http.Client // that trusts the receiver's certificate
	Now       func() time.Time
	Limit     time.Duration // in which a webhook must be answered (§6.3); 0 means 10 s
	Patience  time.Duration // in which a receiver must know a new key; 0 means 15 s

	known   signingKey    // of the latest right webhook that was taken
	slowest time.Duration // of the answers to right webhooks
	right   int           // webhooks that were sent
}

const (
	answerLimit = 10 * time.Second
	newKeyLimit = 15 * time.Second
	countLimit  = 5 * time.Second
	countPause  = 50 * time.Millisecond
)

// Run makes all checks, reports each, and returns how many were not passed. It makes a key
// and publishes further ones, so a service is used for one run.
func (r *Receiver) Run(ctx context.Context, report func(Result)) (failed int, err error) {
	if r.Limit == 0 {
		r.Limit = answerLimit
	}
	if r.Patience == 0 {
		r.Patience = newKeyLimit
	}
	return each(ctx, r, receiverChecks(), report)
}

// answer is the receiver's answer to a body.
type answer struct {
	status int
	err    error // why there was no answer
}

func (a answer) took() bool    { return a.err == nil && a.status/100 == 2 }
func (a answer) refused() bool { return a.err == nil && a.status/100 == 4 }

func (a answer) String() string {
	switch {
	case errors.Is(a.err, context.DeadlineExceeded):
		return "it gave no answer in time, and the service does not wait longer"
	case a.err != nil:
		return "it gave no answer: " + a.err.Error()
	}
	return fmt.Sprintf("it answered %d", a.status)
}

// send posts a body as the service does.
func (r *Receiver) send(ctx context.Context, body string) answer {
	ctx, cancel := context.WithTimeout(ctx, r.Limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, strings.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	request.Header.Set("Content-Type", "application/jwt")
	request.Header.Set("User-Agent", "frontdesk")
	response, err := r.Client.Do(request)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10))
	return answer{response.StatusCode, err}
}

// takes sends a right webhook, and returns the reason if it was not accepted.
func (r *Receiver) takes(ctx context.Context, w *webhook) string {
	return r.takesOf(ctx, w, r.Service.active())
}

func (r *Receiver) takesOf(ctx context.Context, w *webhook, key signingKey) string {
	watch := clock.Start()
	a := r.send(ctx, w.token(key))
	r.right++
	r.slowest = max(r.slowest, watch.Elapsed())
	switch {
	case a.took():
		r.known = key
		return ""
	case r.Service.asked() == 0:
		return fmt.Sprintf("%s to a right webhook, and never asked for keys: let it take them from %s", a, r.Service.KeySetURL())
	}
	return fmt.Sprintf("%s to a right webhook of the practice %s", a, Tenant)
}

// refuses sends a webhook that must be refused. Only a 4xx counts as a refusal: a receiver
// that breaks on it can be broken by any sender. A 4xx does not count either if right
// webhooks are also refused.
func (r *Receiver) refuses(ctx context.Context, what, body string) string {
	before, uncounted := r.processed(ctx)
	a := r.send(ctx, body)
	after, err := r.processed(ctx)
	switch {
	case a.took():
		return fmt.Sprintf("it took %s: %s", what, a)
	case uncounted != nil:
		return uncounted.Error()
	case err != nil:
		return err.Error()
	case after != before:
		return fmt.Sprintf("it processed %s, although %s", what, a)
	case !a.refused():
		return fmt.Sprintf("%s to %s; answer 400", a, what)
	}
	if why := r.takesOf(ctx, recordOpened(r.Now()), r.key()); why != "" {
		return fmt.Sprintf("it refused %s, which shows nothing: %s", what, why)
	}
	return ""
}

// key is one that the receiver has: a webhook forged under another name would be refused just
// for its kid.
func (r *Receiver) key() signingKey {
	if r.known.key == nil {
		return r.Service.active()
	}
	return r.known
}

// processed asks how many webhooks the receiver has processed, until two answers are equal: a
// good receiver answers first and processes a moment later. It is 0 for a receiver without a
// count.
func (r *Receiver) processed(ctx context.Context) (n int, err error) {
	if r.Processed == "" {
		return 0, nil
	}
	for last, watch := -1, clock.Start(); ; last = n {
		if n, err = r.count(ctx); err != nil || n == last || watch.Elapsed() > countLimit || !background.Sleep(ctx, countPause) {
			return n, err
		}
	}
}

// count asks once. A configured count that cannot be read is an error, because it would hide
// processed webhooks.
func (r *Receiver) count(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, countLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.Processed, http.NoBody)
	if err != nil {
		return 0, fmt.Errorf("ask how many webhooks were processed: %w", err)
	}
	response, err := r.Client.Do(request)
	if err != nil {
		return 0, fmt.Errorf("ask how many webhooks were processed: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 64))
	if err != nil {
		return 0, fmt.Errorf("ask how many webhooks were processed: %w", err)
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(text)))
	if err != nil || response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s answered %d and no number of webhooks that were processed", r.Processed, response.StatusCode)
	}
	return n, nil
}
