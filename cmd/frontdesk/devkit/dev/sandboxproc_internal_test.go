package dev

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"frontdesk/adapters/durable"
)

// On a busy machine it takes a while to learn that another sandbox has the directory. Its
// description has been there all the time.
func TestASandboxThatIsAnothersIsNotOurs_D97(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sandbox.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	g := newSandboxProc(func() {})
	go func() {
		time.Sleep(4 * startLook)
		g.err = fmt.Errorf("%w by process 1", durable.ErrInUse)
		close(g.done)
	}()
	if err := g.awaitStart(t.Context(), dir); err != nil || g.own || g.done != nil {
		t.Errorf("it is ours: %v, ends: %v, error %v", g.own, g.done != nil, err)
	}
}

func TestASandboxThatWeHaveStartedIsOurs_D97(t *testing.T) {
	t.Parallel()
	g := newSandboxProc(func() {})
	close(g.started)
	if err := g.awaitStart(t.Context(), t.TempDir()); err != nil || !g.own || g.done == nil {
		t.Errorf("it is ours: %v, ends: %v, error %v", g.own, g.done != nil, err)
	}
}
