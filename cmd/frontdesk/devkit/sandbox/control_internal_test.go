package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

func steer(t *testing.T, dir string, b box) {
	t.Helper()
	c, err := listenControl(t.Context(), dir, b, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
}
