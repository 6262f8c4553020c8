package apply

import (
	"context"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/event"
)

// Run carries out the documents of files.
type Run struct {
	Desk    commands.Desk
	Current Current
	// Hand receives the links of people before they are stored; nil if no one is to be
	// invited. It may be called concurrently, and again for the same people: then the later
	// links count. An error stores nothing.
	Hand func(tenant string, invited []commands.Invitation) error
	// Tell receives the outcome of each document, in their order, applications first.
	Tell func(Outcome) error
	// Progress receives the number of documents that are done; nil for none.
	Progress func(done, all int64)

	pieces  []piece
	planned map[event.Stream][]event.Event // changes of applications, while practices are checked
	refused map[string]bool                // applications, by identifier
	done    int64
}

// Outcome is the result of one document.
type Outcome struct {
	File    string
	Line    int
	Kind    string
	Name    string   // the tenant identifier or the application's
	Changes []Change // made, or to be made; empty if the document already matches
	Faults  []error  // why it cannot be carried out; each is one line
	Notes   []error  // warnings
}

// Change is the change of one part of a document.
type Change struct {
	File         string
	Line, Column int
	Events       []event.Event
}

// Events counts the events.
func (o Outcome) Events() (n int) {
	for _, c := range o.Changes {
		n += len(c.Events)
	}
	return n
}

// Tally counts outcomes.
type Tally struct{ Documents, Changed, Events, Faults int }

func (t *Tally) add(o Outcome) {
	t.Documents++
	t.Events += o.Events()
	t.Faults += len(o.Faults)
	if len(o.Changes) > 0 {
		t.Changed++
	}
}

// documentLimit is how long carrying out one document may take.
const documentLimit = 30 * time.Second

// Check reads the documents and computes the changes of each. It changes nothing.
func (r *Run) Check(ctx context.Context, files *Files) (t Tally, err error) {
	r.pieces, r.planned, r.refused, r.done = files.pieces(), map[event.Stream][]event.Event{}, map[string]bool{}, 0
	if t, err = r.read(ctx); err != nil || t.Faults > 0 {
		return t, err
	}
	return r.each(ctx, r.rehearse, false)
}

// Apply carries out documents that were checked.
func (r *Run) Apply(ctx context.Context) (Tally, error) {
	r.done = 0
	return r.each(ctx, r.performChanged, true)
}

// each has all documents carried out, applications before the practices that enable them.
func (r *Run) each(ctx context.Context, do func(context.Context, *document) outcome, earnest bool) (t Tally, err error) {
	for _, kind := range []string{KindApplication, KindPractice} {
		err = inOrder(ctx, r.piecesOf(kind), func(ctx context.Context, p *piece) outcome {
			d, err := parsePiece(*p)
			if err != nil {
				return outcome{failed: err}
			}
			ctx, cancel := context.WithTimeout(ctx, documentLimit)
			defer cancel()
			return do(ctx, d)
		}, func(p *piece, o outcome) error {
			if o.failed != nil {
				return o.failed
			}
			if p.changes = len(o.Changes) > 0; !earnest && kind == KindApplication {
				r.plan(o)
			}
			return r.report(&t, o.Outcome)
		})
		if err != nil {
			return t, err
		}
	}
	return t, nil
}

func (r *Run) piecesOf(kind string) (all []*piece) {
	for n := range r.pieces {
		if r.pieces[n].kind == kind {
			all = append(all, &r.pieces[n])
		}
	}
	return all
}

func (r *Run) report(t *Tally, o Outcome) error {
	t.add(o)
	r.done++
	if r.Progress != nil {
		r.Progress(r.done, int64(len(r.pieces)))
	}
	return r.Tell(o)
}

// plan makes an application's planned changes visible to the practices that are checked after
// it. A refused application adds none.
func (r *Run) plan(application outcome) {
	r.refused[application.Name] = len(application.Faults) > 0
	for _, c := range application.planned {
		r.planned[c.Stream] = append(r.planned[c.Stream], c.Events...)
	}
}
