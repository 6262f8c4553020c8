package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clocks "frontdesk/adapters/clock"
)

// box is steered in these tests.
type box struct{ fails error }

func (b box) setClock(context.Context, string) (time.Time, error)  { return time.Unix(0, 0), b.fails }
func (b box) reset(context.Context) error                          { return b.fails }
func (b box) sendTo(_ context.Context, way string) (string, error) { return "https://" + way, b.fails }

// A directory may have a longer path than a socket can.
func TestOrdersReachASandboxHoweverLongItsPathIs_D96(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), strings.Repeat("long", 40))} {
		if _, err := Reach(dir); err == nil || !strings.Contains(err.Error(), "no sandbox runs in "+dir) {
			t.Errorf("without a listener: %v", err)
		}
		for range 2 { // the second finds the socket of one that was killed
			steer(t, dir, box{})
			info, err := os.Stat(socketFile(dir))
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			remote, err := Reach(dir)
			if err != nil {
				t.Fatal(err)
			}
			if now, err := remote.Clock(t.Context(), ""); err != nil || !now.Equal(time.Unix(0, 0)) {
				t.Errorf("clock: %s, %v", now, err)
			}
			if url, err := remote.Receiver(t.Context(), "slow"); err != nil || url != "https://slow" {
				t.Errorf("receiver: %s, %v", url, err)
			}
		}
	}
}

func TestWhyAnOrderWasNotFollowedIsSaid_D96(t *testing.T) {
	t.Parallel()
	for _, fails := range []error{refused("Do this first."), errors.New("broken")} {
		dir := t.TempDir()
		steer(t, dir, box{fails})
		remote, err := Reach(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.Reset(t.Context()); err == nil || err.Error() != fails.Error() {
			t.Errorf("got %v, want %v", err, fails)
		}
	}
}

// A reset may take minutes on a busy machine, and both ends wait for it.
func TestResetMayTakeMinutes_D96(t *testing.T) {
	t.Parallel()
	dir, limits := t.TempDir(), deadlines{}
	steer(t, dir, timed{limits: limits})
	remote, err := Reach(dir)
	if err != nil {
		t.Fatal(err)
	}
	remote.client.Transport = limits.of("asked", remote.client.Transport)
	before := clocks.System()
	if err := remote.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"asked", "reset"} {
		if limit := limits[end].Sub(before); limit < resetTime {
			t.Errorf("%s: it is given up after %v", end, limit)
		}
	}
	if _, err := remote.Clock(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"asked", "clock"} {
		if limit := limits[end].Sub(clocks.System()); limit > steeringTime {
			t.Errorf("%s: another order is given up only after %v", end, limit)
		}
	}
}

// deadlines are those of orders, by their end.
type deadlines map[string]time.Time

func (d deadlines) note(ctx context.Context, end string) { d[end], _ = ctx.Deadline() }

// of notes the deadline of each request.
func (d deadlines) of(end string, next http.RoundTripper) http.RoundTripper {
	return sending(func(r *http.Request) (*http.Response, error) {
		d.note(r.Context(), end)
		return next.RoundTrip(r)
	})
}

type sending func(*http.Request) (*http.Response, error)

func (s sending) RoundTrip(r *http.Request) (*http.Response, error) { return s(r) }

// timed notes the deadlines of orders.
type timed struct {
	box
	limits deadlines
}

func (t timed) setClock(ctx context.Context, setting string) (time.Time, error) {
	t.limits.note(ctx, "clock")
	return t.box.setClock(ctx, setting)
}

func (t timed) reset(ctx context.Context) error {
	t.limits.note(ctx, "reset")
	return t.box.reset(ctx)
}

func steer(t *testing.T, dir string, b steered) {
	t.Helper()
	c, err := listenControl(t.Context(), dir, b, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
}
