//go:build prove

package tampering_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/commands"
)

// The same with 1,400 events, whose trees have full tiles, and with an auditor who has no
// database.
func TestProveDetectionOfAttacks_D81(t *testing.T) {
	t.Parallel()
	everyAttack(t, size{witnessed: 900, kept: 1000, signed: 1100, all: 1200, oak: 200}, offline)
	provetest.Tried(t, len(attacks), "attacks")
}

// While the log, the access record and the trees grow, and are rebuilt, nothing differs.
func TestProveThatAnHonestGrowingLogIsVerified_D81(t *testing.T) {
	t.Parallel()
	w := newWorld(t, size{witnessed: 10, kept: 12, signed: 14, all: 16})
	ctx, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	forever := func(do func()) {
		working.Go(func() {
			for ctx.Err() == nil {
				do()
			}
		})
	}
	for range 3 {
		forever(func() {
			if _, err := w.engine.Desk.CreateNote(w.ctx, commands.CreateNote{Tenant: "elm", Patient: w.ann, Text: "a cough"}); err != nil {
				t.Error(err)
			}
		})
	}
	prover := proving.NewProver(w.pool, &background.Broadcast{}, slog.New(slog.DiscardHandler))
	prover.Batch, prover.Pace, prover.Idle = 50, time.Millisecond, 10*time.Millisecond
	for _, run := range []func(context.Context){w.engine.Sequencer.Run, prover.Run} {
		working.Go(func() { run(ctx) })
	}
	forever(w.call)
	forever(func() {
		for _, problem := range w.signer.Round(w.ctx) {
			t.Error(problem)
		}
	})
	rounds := provetest.Pick(4, 12)
	for n := range rounds {
		if n == rounds/2 {
			must(proving.Rebuild{Prover: proving.NewProver(w.attacker, &background.Broadcast{}, slog.New(slog.DiscardHandler))}.Run(w.ctx))(t)
		}
		if r := w.verify(w.kept); len(r.Found) > 0 || r.Kept != 1 {
			t.Fatalf("%+v: %v", r, texts(r.Found))
		}
	}
	stop()
	working.Wait()
	provetest.Tried(t, rounds, "verifications")
}

// offline reports whether an auditor detects the attack who has an export of Elm Street and a
// kept checkpoint.
func offline(w *world) bool {
	w.t.Helper()
	folder := w.t.TempDir()
	export, kept := filepath.Join(folder, "export"), filepath.Join(folder, "kept.note")
	w.check(os.WriteFile(kept, w.note, 0o600))
	if w.run("audit", "export", "--tenant=elm", "--proof", "--out", export, "--database-url", w.url) != 0 {
		return true // a log with a hole has no export
	}
	return w.run("audit", "verify", "--in", export, "--since", kept, "--key", w.key.Verifier) != 0
}

func (w *world) run(args ...string) (status int) {
	return cli.Main(w.ctx, args, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
}
