package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"frontdesk/adapters/ledger"
	"frontdesk/domain/erasure"
	"frontdesk/projections"
)

// Erasures returns the read model of erasures.
func (e *Engine) Erasures() projections.Erasures { return projections.Erasures{DB: e.calls} }

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
