package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/background"
	"frontdesk/adapters/ledger"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/projections"
)

// Erasures returns the read model of erasures.
func (e *Engine) Erasures() projections.Erasures { return projections.Erasures{DB: e.calls} }

// ErasureRequests returns the read model of patients whose erasure waits for a second person.
func (e *Engine) ErasureRequests() projections.ErasureRequests {
	return projections.ErasureRequests{DB: e.calls}
}

func (e *Engine) ledger() ledger.File { return ledger.File{Name: e.config.ErasureLedger} }

// ErrNotReapplied reports that the database holds erased data, because it was restored from a
// backup.
var ErrNotReapplied = errors.New("the database holds erased data, because it was restored from an older backup: run frontdesk erasure reapply")

func (e *Engine) stillErased(ctx context.Context) error {
	back, err := e.NotErased(ctx)
	if err != nil {
		return err
	}
	if len(back) > 0 {
		return fmt.Errorf("%w (%d of them)", ErrNotReapplied, len(back))
	}
	return nil
}

// noLedger warns the operator that a restore would undo erasures, with the fix.
const noLedger = "no erasure ledger is set: a restored backup would bring back everyone who was erased since. Name a file for --erasure-ledger"

// ledgerKept checks that a ledger is set.
func (e *Engine) ledgerKept(context.Context) Finding {
	const what = "erasure ledger"
	if e.config.ErasureLedger != "" {
		_, err := e.ledger().Lines()
		return found(what, e.config.ErasureLedger, err)
	}
	return Finding{What: what, Warns: true, Says: noLedger}
}

// withoutLedger returns a warning if personal data is stored and no ledger is set; "" otherwise,
// and if the database does not answer, which readiness reports.
func (e *Engine) withoutLedger(ctx context.Context) string {
	if e.config.ErasureLedger != "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	var personal bool
	if err := e.background.QueryRow(ctx, `SELECT EXISTS (SELECT FROM personal_keys)`).Scan(&personal); err != nil || !personal {
		return ""
	}
	return noLedger
}

// WarnWithoutLedger warns that a restored backup would undo erasures.
func (e *Engine) WarnWithoutLedger(ctx context.Context) {
	e.ledgerKept(ctx).warn(ctx, e.config.Log)
}

// NotErased returns the people who are erased in the ledger but not in the database, and
// those whose keys have come back.
func (e *Engine) NotErased(ctx context.Context) ([]erasure.Line, error) {
	back, err := e.Erasures().Kept(ctx)
	if err != nil || e.config.ErasureLedger == "" {
		return back, err
	}
	told, err := e.ledger().Lines()
	if err != nil {
		return nil, err
	}
	lines, err := e.Erasures().Lines(ctx)
	if err != nil {
		return nil, err
	}
	return append(back, without(told, lines)...), nil
}

// ReapplyErasures erases again everyone who came back with a backup, and returns how many.
// ids are those of the ring's master keys. It runs as the owner of the database.
func (e *Engine) ReapplyErasures(ctx context.Context, desk commands.Desk, ids []string) (int, error) {
	if err := e.NoteMasters(ctx, ids); err != nil {
		return 0, err
	}
	back, err := e.NotErased(ctx)
	if err != nil {
		return 0, err
	}
	for n, line := range back {
		if err := desk.ReapplyErasure(ctx, commands.ReapplyErasure{Person: line.Person, Erasure: line.Erasure, Fingerprints: line.Fingerprints}); err != nil {
			return n, fmt.Errorf("incomplete: %d of %d are erased; give the same command again: %w", n, len(back), err)
		}
	}
	return len(back), nil
}

// erasedWatch looks for erased people who are back while the program runs: somebody has put
// their keys back, or an older copy of the database in its place (D138).
type erasedWatch struct {
	look func(context.Context) ([]erasure.Line, error)
	back prometheus.Gauge
	log  *slog.Logger
	last int
}

const (
	erasedEvery = 30 * time.Second
	erasedLimit = 10 * time.Second // for one look
)

func (e *Engine) newErasedWatch(registry prometheus.Registerer) *erasedWatch {
	w := &erasedWatch{look: e.NotErased, log: e.config.Log, back: prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "frontdesk_erased_people_back",
		Help: "People who were erased and are back: their key is in the database, or the database does not know of their erasure.",
	})}
	registry.MustRegister(w.back)
	return w
}

// Run looks until ctx ends.
func (w *erasedWatch) Run(ctx context.Context) {
	background.Loop{Every: erasedEvery, Do: w.Look, Fails: "erasures could not be checked", Log: w.log}.Run(ctx)
}

// Look looks once.
func (w *erasedWatch) Look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, erasedLimit)
	defer cancel()
	back, err := w.look(ctx)
	if err != nil {
		return err
	}
	if len(back) > w.last {
		first := back[0]
		w.log.ErrorContext(ctx, "erased people are back in the database: run frontdesk erasure reapply, and find out who has put them there",
			slog.Int("people", len(back)), slog.String("tenant", first.Tenant), slog.String("kind", first.Kind.String()))
	}
	w.last = len(back)
	w.back.Set(float64(len(back)))
	return nil
}

// NoteErasures adds to the ledger the erased people that it lacks. Without a ledger it does
// nothing.
func (e *Engine) NoteErasures(ctx context.Context) error {
	if e.config.ErasureLedger == "" {
		return nil
	}
	lines, err := e.Erasures().Lines(ctx)
	if err != nil {
		return err
	}
	told, err := e.ledger().Lines()
	if err != nil {
		return err
	}
	return e.ledger().Add(without(lines, told)...)
}

// without returns the lines about people that are not in others, each once.
func without(lines, others []erasure.Line) (left []erasure.Line) {
	seen := map[erasure.Person]bool{}
	for _, line := range others {
		seen[line.Person] = true
	}
	return slices.DeleteFunc(slices.Clone(lines), func(l erasure.Line) bool {
		was := seen[l.Person]
		seen[l.Person] = true
		return was
	})
}
