package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/parse"
)

// work is one attempt to carry out a document.
type work struct {
	desk    commands.Desk
	current Current
	invites bool                  // new members are given a link
	invited []commands.Invitation // those invited in this attempt
	notes   []error               // warnings, which are no faults
	changes []Change
	seen    map[string]bool // the names in the document so far
	refused map[string]bool // applications whose own document was refused
}

// step is a part of a document, and the action for it.
type step struct {
	stage stage
	at    string // its path; one that ends with "." is completed by the member that a refusal is about
	do    func(context.Context) error
}

// stage is the order of a step. The changes of a stage are one append, without order among
// them; a step that needs another one comes in a later stage.
type stage int

const (
	begins  stage = iota // the practice or the application itself
	settles              // needs only the practice
	opens                // rooms, which need their sites; and applications, which call only when all else is settled
	stages
)

// members maps the code of a refusal to the member of a document that it is about.
var members = map[string]string{
	"invalid-tenant": "tenant", "unknown-time-zone": "timeZone", "missing-name": "name", "invalid-url": "jwksUrl",
	"invalid-username": "username", "username-taken": "username", "invalid-email": "email", "unknown-role": "roles",
}

// refused returns the fault of a step.
func (s step) refused(d *document, err error) *Fault {
	at, open := strings.CutSuffix(s.at, ".")
	if refusal, ok := errors.AsType[*fault.Error](err); ok && open {
		at = strings.TrimPrefix(at+"."+members[refusal.Code], ".")
	}
	return d.faultAt(strings.TrimSuffix(at, "."), err)
}

// carryOut takes the steps of a document up to a stage. Steps that were taken before change
// nothing. It continues after a refusal, so that the author of the document sees all of them.
// It stops after a refused first step, on which all others depend.
func (w *work) carryOut(ctx context.Context, d *document, upTo stage) error {
	steps, err := w.steps(ctx, d)
	if err != nil {
		return err
	}
	var faults []error
	for n, s := range steps {
		if s.stage > upTo {
			continue
		}
		err := w.take(ctx, d, s)
		if err != nil && !refuses(err) {
			return fmt.Errorf("%s: %w", d.name(), err)
		}
		if err != nil {
			faults = append(faults, s.refused(d, err))
		}
		if err != nil && n == 0 {
			break
		}
	}
	return errors.Join(faults...)
}

// take takes one step, and records its changes.
func (w *work) take(ctx context.Context, d *document, s step) error {
	before := len(w.happened())
	err := s.do(ctx)
	if events := w.happened()[before:]; len(events) > 0 {
		at := d.faultAt(strings.TrimSuffix(s.at, "."), nil)
		w.changes = append(w.changes, Change{at.File, at.Line, at.Column, events})
	}
	return err
}

// happened returns the events so far: a document is carried out on a store that collects
// appends.
func (w *work) happened() []event.Event { return w.desk.Store.(*commands.Rehearsal).Events() }

func (w *work) steps(ctx context.Context, d *document) ([]step, error) {
	if d.application != nil {
		return w.ofApplication(ctx, d.application)
	}
	return w.ofPractice(ctx, d)
}

// refuses reports whether an error refuses a document, as opposed to a failure.
func refuses(err error) bool {
	if refusal, ok := errors.AsType[*fault.Error](err); ok {
		return refusal.Kind != fault.Unavailable
	}
	_, ours := errors.AsType[wrong](err)
	return ours
}

// wrong is a refusal of this package, which no caller of the service ever sees.
type wrong string

func (w wrong) Error() string { return string(w) }

func wrongf(format string, args ...any) error { return wrong(fmt.Sprintf(format, args...)) }

// once refuses a second mention in the document.
func (w *work) once(kind, name string) error {
	if w.seen == nil {
		return nil
	}
	key := kind + " " + name
	if w.seen[key] {
		return wrongf("the %s %q is in this document twice", kind, name)
	}
	w.seen[key] = true
	return nil
}

// fixed refuses a change of a value that is immutable; "" leaves it as it is.
func fixed(what, declared, current string) error {
	if declared = strings.TrimSpace(declared); declared != "" && declared != current {
		return wrongf("%s is another one already, and cannot be changed: write it as it is, or leave it out", what)
	}
	return nil
}

// instant reads an instant; zero for "".
func instant(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, ok := parse.Instant(text)
	if !ok {
		return at, wrongf("%q is no instant in RFC 3339, such as 2026-03-02T12:00:00Z", text)
	}
	return at, nil
}
