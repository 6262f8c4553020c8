//go:build prove

package tampering_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/cli"
)

// The same with 1,400 events, whose trees have full tiles, and with an auditor who has no
// database.
func TestProveWhoCatchesAnAttack_D81(t *testing.T) {
	t.Parallel()
	everyAttack(t, size{witnessed: 900, kept: 1000, signed: 1100, all: 1200, oak: 200}, offline)
}

// offline reports whether somebody sees the attack who is given an export of Elm Street and
// has kept a checkpoint.
func offline(w *world) bool {
	w.t.Helper()
	folder := w.t.TempDir()
	export, kept := filepath.Join(folder, "export"), filepath.Join(folder, "kept.note")
	w.check(os.WriteFile(kept, w.note, 0o600))
	if w.run("audit", "export", "--tenant=elm", "--proof", "--out", export, "--database-url", w.url) != 0 {
		return true // of a log with a hole there is no export
	}
	return w.run("audit", "verify", "--in", export, "--since", kept, "--key", w.key.Verifier) != 0
}

func (w *world) run(args ...string) (status int) {
	return cli.Main(w.ctx, args, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
}
