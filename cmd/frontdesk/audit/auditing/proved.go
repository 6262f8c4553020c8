package auditing

import (
	"context"
	"iter"
	"slices"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

// Proved describes the provable log in an export. The export has all leaves, up to the size
// of a checkpoint.
type Proved struct {
	Of     proof.Tree
	Size   int64
	From   proof.Edge  // of the leaves that are in archives
	After  int64       // the idx of the last of them
	Events EventFilter // which events are shown; of the others the hash is there
	Calls  CallFilter  // and which calls

	Readings        bool // also those of auditors, in the log of no practice
	Personal        bool // with personal values in addition to the stored text
	WithoutSealed   bool
	WithoutMetadata bool
}

// ProvedLine is a line of such an export.
type ProvedLine struct {
	Idx   int64
	Hash  tlog.Hash
	Shown bool // more than the hash
	line  interface {
		Append(b []byte) ([]byte, error)
	}
}

// Append appends the line and its end.
func (l ProvedLine) Append(b []byte) ([]byte, error) { return l.line.Append(b) }

// Beginning returns where the log begins in the database: at an empty tree or, for the access
// record, after the archived lines.
func (a Auditor) Beginning(ctx context.Context, of proof.Tree) (from proof.Edge, after int64, err error) {
	if of.Kind != proof.Access {
		return from, 0, nil
	}
	kept, err := a.AccessRecord().Kept(ctx)
	return kept.Trees[of.Tenant], kept.Idx, err
}

// ProvedLines yields the lines of an export, in the order of the tree. There are fewer than
// asked for if the database does not hold as many.
func (a Auditor) ProvedLines(ctx context.Context, p Proved) iter.Seq2[ProvedLine, error] {
	lines := a.provedEvents
	if p.Of.Kind == proof.Access {
		lines = a.provedCalls
	}
	return func(yield func(ProvedLine, error) bool) {
		n := p.From.Size
		if n >= p.Size {
			return
		}
		for line, err := range lines(ctx, p) {
			if !yield(line, err) || err != nil {
				return
			}
			if n++; n >= p.Size {
				return
			}
		}
	}
}

func (a Auditor) provedEvents(ctx context.Context, p Proved) iter.Seq2[ProvedLine, error] {
	return func(yield func(ProvedLine, error) bool) {
		n := p.From.Size
		for e, err := range a.Log.OfTenants(p.Of.Tenant).WholeAfter(ctx, p.After) {
			if err != nil {
				yield(ProvedLine{}, err)
				return
			}
			line, err := p.event(n, e)
			if !yield(line, err) || err != nil {
				return
			}
			n++
		}
	}
}

func (p Proved) event(n int64, e eventstore.Whole) (ProvedLine, error) {
	line := export.EventOf(n, e.Stored)
	hash := line.Hash()
	if !p.shows(e) {
		return ProvedLine{Idx: e.Idx, Hash: hash, line: export.HashLine{N: n, Leaf: hash}}, nil
	}
	if p.WithoutSealed {
		line.Sealed = nil
	}
	if p.WithoutMetadata {
		line.Metadata = nil
	}
	var err error
	if p.Personal && e.Stored.Sealed != nil {
		line.Opened, err = event.WithoutSecrets(e.Event)
	}
	return ProvedLine{Idx: e.Idx, Hash: hash, Shown: true, line: line}, err
}

// shows reports whether an event passes the filter. Auditors' own readings have to be
// requested, because a reading of several practices is in no practice's log.
func (p Proved) shows(e eventstore.Whole) bool {
	f := p.Events
	if _, reading := e.Event.(audit.Queried); reading && p.Of.Tenant == "" && !p.Readings && !slices.ContainsFunc(f.Names, func(name string) bool { return isCalled(e.Recorded, name) }) {
		return false
	}
	return e.Idx > f.After && (f.UpTo == 0 || e.Idx <= f.UpTo) && (f.Patient.UUID == uuid.Nil || e.Stored.Patient == f.Patient.UUID) && f.passes(e.Recorded)
}

func (a Auditor) provedCalls(ctx context.Context, p Proved) iter.Seq2[ProvedLine, error] {
	return func(yield func(ProvedLine, error) bool) {
		n := p.From.Size
		for row, err := range a.AccessRecord().EachOf(ctx, p.Of.Tenant, p.After) {
			if err != nil {
				yield(ProvedLine{}, err)
				return
			}
			if !yield(p.call(n, row), nil) {
				return
			}
			n++
		}
	}
}

func (p Proved) call(n int64, row accesslog.Row) ProvedLine {
	hash := row.Hash()
	if row.Archived != nil || !p.Calls.shows(row) {
		return ProvedLine{Idx: row.Leaf.Idx, Hash: hash, line: export.HashLine{N: n, Leaf: hash}}
	}
	line := CallLine(n, row)
	if p.WithoutSealed {
		line.Sealed = nil
	}
	return ProvedLine{Idx: row.Leaf.Idx, Hash: hash, Shown: true, line: line}
}

// shows reports whether a call passes the filter.
func (f CallFilter) shows(row accesslog.Row) bool {
	l := row.Leaf
	return (f.Application.UUID == uuid.Nil || l.Application == f.Application.UUID) &&
		(f.Staff.UUID == uuid.Nil || l.Staff == f.Staff.UUID) &&
		(f.Patient.UUID == uuid.Nil || l.Patient == f.Patient.UUID || row.Shows(f.Patient)) &&
		(f.Since.IsZero() || !l.At.Before(f.Since)) &&
		(f.Until.IsZero() || l.At.Before(f.Until))
}
