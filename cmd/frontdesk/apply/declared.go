package apply

import (
	"context"
	"errors"
)

// declared is where each practice and application is declared, by kind and name.
type declared map[string]piece

// read parses all documents, and refuses things that two of them declare.
func (r *Run) read(ctx context.Context) (t Tally, err error) {
	so := declared{}
	err = inOrder(ctx, r.piecesOf(""), func(_ context.Context, p *piece) parsed {
		d, err := parsePiece(*p)
		return parsed{d, err}
	}, func(at *piece, p parsed) error {
		if p.err == nil && p.d != nil {
			at.kind = p.d.declares()
			p.err = so.add(p.d)
		}
		return r.refuse(&t, *at, p.err)
	})
	return t, err
}

type parsed struct {
	d   *document // nil for an empty document
	err error
}

func (so declared) add(d *document) error {
	key := d.declares() + " " + d.name()
	if first, twice := so[key]; twice {
		return d.faultAt("", wrongf("the %s is declared in %s:%d already", key, first.file, first.line))
	}
	so[key] = piece{file: d.file, line: d.faultAt("", nil).Line}
	return nil
}

// refuse reports a document that cannot be parsed. Any other error ends the run.
func (r *Run) refuse(t *Tally, at piece, err error) error {
	if _, ok := errors.AsType[*Fault](err); !ok {
		return err
	}
	return r.report(t, Outcome{File: at.file, Line: at.line, Kind: at.kind, Faults: []error{err}})
}
