package webhooks_test

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
)

// answersQuickly answers a number of requests at once, and the others only after
// release.
func (r *receiver) answersQuickly(t testing.TB, n int64) (release func()) {
	t.Helper()
	release = r.hangs(t)
	hang := r.answer
	var come atomic.Int64
	r.answers(func(w http.ResponseWriter, request *http.Request) {
		if come.Add(1) > n {
			hang(w, request)
		}
	})
	return release
}

// claimedAhead is a clinic with 20 deliveries for one receiver, whose sender has posted
// eight. Four were answered fast, four hang, and four more are claimed.
func claimedAhead(t *testing.T, edits ...func(*webhooks.Sender)) (c *clinic, r *receiver, release, stop func()) {
	t.Helper()
	c, r = newClinic(t), newPlainReceiver(t)
	release = r.answersQuickly(t, 4)
	c.application(r.URL, application.RecordOpened)
	c.happen(20)
	c.fanOut()
	stop = c.startUnhurried(edits...)
	t.Cleanup(release) // before the sender is waited for
	for range 8 {
		r.next(t)
	}
	c.wait(`SELECT count(*) FILTER (WHERE status = 'delivered') = 4 AND count(*) FILTER (WHERE status = 'sending') = 8 FROM deliveries`)
	return c, r, release, stop
}

// After a crash, at most the claims of one destination become unknown.
func TestEightOfADestinationAreClaimedAtMost_D29(t *testing.T) {
	t.Parallel()
	c, r, release, _ := claimedAhead(t)
	if got := r.all(); len(got) > 0 {
		t.Errorf("%d more than four are in flight", len(got))
	}
	release()
	c.wait(settled)
	c.wantSummary("delivered 20")
	if got := r.all(); len(got) != 12 {
		t.Errorf("%d of the other 12 were received", len(got))
	}
}

func TestFailingReceiverHasNoClaimsAhead_D32(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newPlainReceiver(t)
	r.answersStatus(http.StatusInternalServerError)
	c.application(r.URL, application.RecordOpened)
	_, err := c.admin().Exec(t.Context(), `
		CREATE FUNCTION four() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
			IF (SELECT count(*) FROM deliveries WHERE status = 'sending') > 4 THEN RAISE 'too many'; END IF;
			RETURN NULL; END $$;
		CREATE TRIGGER four AFTER UPDATE ON deliveries FOR EACH STATEMENT EXECUTE FUNCTION four()`)
	must(t, err)
	c.happen(20)
	c.fanOut()
	trouble := make(warned, 1)
	c.startUnhurried(func(s *webhooks.Sender) { s.Log = slog.New(trouble) })
	c.wait(settled)
	c.wantSummary("failed http_5xx 20")
	if len(trouble) > 0 {
		t.Error("more than four were claimed")
	}
}

func TestStoppingReleasesUnsentClaims(t *testing.T) {
	t.Parallel()
	c, r, release, stop := claimedAhead(t)
	stopped := make(chan struct{})
	go func() { defer close(stopped); stop() }()
	select {
	case <-stopped:
		t.Error("stopped with webhooks under way")
	case <-time.After(50 * time.Millisecond): // long enough for a wrong one to be caught now and then
	}
	release()
	<-stopped
	c.wantSummary("delivered 8, pending 12")
	if got := r.all(); len(got) > 0 {
		t.Errorf("%d were begun", len(got))
	}
}

// A delivery that expires while it waits for a slot is not sent.
func TestDeliveryExpiringInQueueIsNotSent_D30(t *testing.T) {
	t.Parallel()
	c, r, release, _ := claimedAhead(t)
	c.clock.Pass(15*time.Minute + time.Second)
	release()
	c.wait(settled)
	c.wantSummary("delivered 8, expired 12")
	if got := r.all(); len(got) > 0 {
		t.Errorf("%d were sent", len(got))
	}
}

// Deliveries that were claimed in the lost history are not begun.
func TestFailoverReleasesWaitingClaims_D49(t *testing.T) {
	t.Parallel()
	c, r, release, _ := claimedAhead(t)
	c.promote()
	c.wait(`SELECT count(*) = 4 FROM deliveries WHERE status = 'sending'`)
	c.wantSummary("delivered 4, pending 12, sending 4")
	c.happen(1)
	c.fanOut()
	release()
	c.wait(settled)
	c.wantSummary("delivered 8, unknown 13")
	if got := r.all(); len(got) > 0 {
		t.Errorf("%d were sent", len(got))
	}
}

// Without an answer from the database, its history is unknown.
func TestOutageReleasesWaitingClaims_D49(t *testing.T) {
	t.Parallel()
	trouble := make(warned, 1)
	c, r, release, stop := claimedAhead(t, func(s *webhooks.Sender) { s.Log = slog.New(trouble) })
	_, err := c.admin().Exec(t.Context(), `REVOKE SELECT ON history FROM frontdesk_app`)
	must(t, err)
	<-trouble
	release()
	<-time.After(50 * time.Millisecond) // long enough for a wrong one to be caught now and then
	stop()
	if got := r.all(); len(got) > 0 {
		t.Errorf("%d were sent", len(got))
	}
}

// warned is a log handler that signals a warning.
type warned chan struct{}

func (w warned) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

func (w warned) Handle(context.Context, slog.Record) error {
	select {
	case w <- struct{}{}:
	default:
	}
	return nil
}

func (w warned) WithAttrs([]slog.Attr) slog.Handler { return w }

func (w warned) WithGroup(string) slog.Handler { return w }
