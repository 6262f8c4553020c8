package auditing

import (
	"context"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

// Checkpoint returns the newest checkpoint of a log.
func (a Auditor) Checkpoint(ctx context.Context, of proof.Tree) (proof.Signed, error) {
	found, err := accesslog.Checkpoints{DB: postgres.On(a.Pool)}.Of(ctx, of)
	if err != nil {
		return proof.Signed{}, err
	}
	c, err := proof.ParseNote([]byte(found.Note))
	return proof.Signed{Checkpoint: c, Note: found.Note}, err
}

// These explain why something cannot be proved.
var (
	errNoEvent   = fault.New(fault.Missing, "unknown-idx", "This log has nothing of that idx: give the idx of one of its events or, with --access, of its calls.")
	errNotSigned = fault.New(fault.Conflict, "not-signed-yet", "The newest checkpoint does not cover this yet: try again when the next one is signed, in some seconds.")
	errBehind    = fault.New(fault.Unavailable, "trees-behind", "The trees that proofs are made of are being built: try again when frontdesk serve has caught up.")

	// ErrNotAsSigned reports that the database differs from the signed log.
	ErrNotAsSigned = fault.New(fault.Conflict, "not-as-signed",
		"The database differs from the signed log, or its trees are wrong: audit verify --database-url finds the differences.")
)

// Proof returns a proof that the event of an idx, or the line of the access record, is in a
// log, with its stored text.
func (a Auditor) Proof(ctx context.Context, of proof.Tree, idx int64) (p proof.Inclusion, about Stored, err error) {
	if about, err = a.stored(ctx, of, idx); err != nil {
		return p, about, err
	}
	signed, err := a.provable(ctx, of)
	if err != nil {
		return p, about, err
	}
	trees := a.trees()
	if p.Index, err = trees.Number(ctx, of, idx, about.hash); err != nil {
		return p, about, err
	}
	if p.Index >= signed.Size {
		return p, about, errNotSigned
	}
	if p.Proof, err = tlog.ProveRecord(signed.Size, p.Index, trees.Hashes(ctx, of)); err != nil {
		return p, about, err
	}
	if p.Extra, err = about.line(p.Index); err != nil {
		return p, about, err
	}
	p.Note = []byte(signed.Note)
	if p.Check(about.hash, signed.Checkpoint) != nil {
		return p, about, ErrNotAsSigned
	}
	return p, about, nil
}

// Growth returns a proof that a log begins with all that a kept checkpoint covers.
func (a Auditor) Growth(ctx context.Context, of proof.Tree, kept proof.Checkpoint) (c proof.Consistency, err error) {
	signed, err := a.provable(ctx, of)
	if err != nil {
		return c, err
	}
	if err := export.GoesOn(kept, signed.Checkpoint); err != nil {
		return c, err
	}
	c = proof.Consistency{Old: kept.Size, Note: []byte(signed.Note)}
	if kept.Size > 0 {
		if c.Proof, err = tlog.ProveTree(signed.Size, kept.Size, a.trees().Hashes(ctx, of)); err != nil {
			return c, err
		}
	}
	return c, c.Check(kept.Root, signed.Checkpoint)
}

// provable returns the newest checkpoint of a log with a tree of at least that size.
func (a Auditor) provable(ctx context.Context, of proof.Tree) (proof.Signed, error) {
	signed, err := a.Checkpoint(ctx, of)
	if err != nil {
		return signed, err
	}
	size, err := a.trees().Size(ctx, of)
	if err != nil {
		return signed, err
	}
	if size < signed.Size {
		return signed, errBehind
	}
	return signed, nil
}

func (a Auditor) trees() proving.Trees { return proving.Trees{DB: a.Pool} }

// Stored is one stored line of a log.
type Stored struct {
	Event *event.Stored
	Call  *accesslog.Row // nil if it is an event
	hash  tlog.Hash
}

func (a Auditor) stored(ctx context.Context, of proof.Tree, idx int64) (Stored, error) {
	if of.Kind == proof.Access {
		return a.storedCall(ctx, of, idx)
	}
	log := a.Log
	log.Page = 1
	found, err := log.Rows(ctx, idx-1)
	switch {
	case err != nil:
		return Stored{}, err
	case len(found) == 0 || found[0].Stream.Tenant != of.Tenant:
		return Stored{}, errNoEvent
	}
	return Stored{Event: &found[0], hash: proof.LeafOf(found[0]).Hash()}, nil
}

func (a Auditor) storedCall(ctx context.Context, of proof.Tree, idx int64) (Stored, error) {
	record := a.AccessRecord()
	record.Page = 1
	found, err := record.Rows(ctx, idx-1)
	switch {
	case err != nil:
		return Stored{}, err
	case len(found) == 0 || found[0].Tree != of.Tenant:
		return Stored{}, errNoEvent
	case found[0].Archived != nil:
		return Stored{}, accesslog.ErrArchived
	}
	return Stored{Call: &found[0], hash: found[0].Hash()}, nil
}

// line returns the line of an export, without its end.
func (s Stored) line(n int64) (line []byte, err error) {
	if s.Call != nil {
		line, err = CallLine(n, *s.Call).Append(nil)
	} else {
		line, err = export.EventOf(n, *s.Event).Append(nil)
	}
	if err != nil {
		return nil, err
	}
	return line[:len(line)-1], nil
}

// CallLine returns the whole line of a call in an export.
func CallLine(n int64, r accesslog.Row) export.AccessLine {
	line := export.AccessLine{N: n, Leaf: r.Leaf, Reason: []byte(r.Reason), Sealed: r.Sealed}
	if r.Act != nil {
		line.Act = []byte(*r.Act)
	}
	return line
}
