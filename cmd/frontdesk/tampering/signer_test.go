package tampering_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/statedir"
	"frontdesk/cmd/frontdesk/app"
)

// newSigner returns a signer of the world's log, which remembers in a folder. Its clock
// stands, so it reads everything again only if it is told to.
func (w *world) newSigner(folder string, all bool) *notary.Signer {
	w.t.Helper()
	dir := must(statedir.Open(folder))(w.t)
	w.t.Cleanup(func() { _ = dir.Close() })
	now := time.Now()
	s := app.Sign{Key: w.key, Log: slog.New(slog.DiscardHandler), VerifyAll: all}.Signer(dir, postgres.On(w.attacker))
	s.Now = func() time.Time { return now }
	w.check(s.Begin(w.ctx))
	return s
}

// alarms reports whether the signer raises an alarm when it has read everything again, as
// it does each day.
func (w *world) alarms() bool {
	w.t.Helper()
	folder := w.t.TempDir()
	w.check(os.WriteFile(filepath.Join(folder, "state"), must(os.ReadFile(filepath.Join(w.state, "state")))(w.t), 0o600))
	for _, problem := range w.newSigner(folder, true).Round(w.ctx) {
		if _, is := errors.AsType[notary.Alarm](problem); !is {
			w.t.Fatal(problem)
		}
		return true
	}
	return false
}
