package apply

import (
	"context"
	"fmt"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// outcome is one on its way.
type outcome struct {
	Outcome
	planned []event.Change // of a rehearsal
	failed  error          // why it could not be found out
}

// rehearse computes the changes of a document without making them.
func (r *Run) rehearse(ctx context.Context, d *document) outcome {
	rehearsal := &commands.Rehearsal{Store: planned{r.Desk.Store, r.planned}}
	w := r.work(r.Desk)
	w.desk.Store, w.desk.Passwords, w.seen = rehearsal, nothingDiscarded{}, map[string]bool{}
	err := w.carryOut(ctx, d, stages)
	o := w.outcome(d, err)
	o.planned = rehearsal.Changes
	return o
}

// performChanged carries out a document that changes something according to the check.
func (r *Run) performChanged(ctx context.Context, d *document) outcome {
	if !d.changes {
		return new(work).outcome(d, nil)
	}
	return r.perform(ctx, d)
}

// perform carries out a document, stage by stage. A run that is killed in between leaves a
// practice that no application can call yet, and that the next run completes.
func (r *Run) perform(ctx context.Context, d *document) outcome {
	var all work
	for upTo := range stages {
		w, err := r.stage(ctx, d, upTo)
		if err != nil {
			return outcome{failed: err}
		}
		all.changes, all.notes = append(all.changes, w.changes...), w.notes
	}
	return all.outcome(d, nil)
}

func (r *Run) stage(ctx context.Context, d *document, upTo stage) (w *work, err error) {
	_, err = commands.Together(ctx, r.Desk, func(ctx context.Context, desk commands.Desk) error {
		w = r.work(desk)
		err := w.carryOut(ctx, d, upTo)
		if err != nil || len(w.invited) == 0 {
			return err
		}
		return r.Hand(d.name(), w.invited)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name(), err)
	}
	return w, nil
}

func (r *Run) work(desk commands.Desk) *work {
	return &work{desk: desk, current: r.Current, invites: r.Hand != nil, refused: r.refused}
}

// outcome separates refusals, which belong to a document, from failures.
func (w *work) outcome(d *document, err error) outcome {
	o := outcome{Outcome: Outcome{File: d.file, Line: d.faultAt("", nil).Line, Kind: d.kind, Name: d.name(), Notes: w.notes}}
	if faults, ok := err.(interface{ Unwrap() []error }); ok {
		o.Faults = faults.Unwrap()
		return o
	}
	o.Changes, o.failed = w.changes, err
	return o
}

// planned is a store in which some events have happened that are not stored yet.
type planned struct {
	commands.Store
	events map[event.Stream][]event.Event
}

func (p planned) Load(ctx context.Context, stream event.Stream) ([]event.Event, error) {
	history, err := p.Store.Load(ctx, stream)
	return append(history, p.events[stream]...), err
}

// nothingDiscarded replaces the passwords in a rehearsal.
type nothingDiscarded struct{ commands.Passwords }

func (nothingDiscarded) Discard(context.Context, string, staff.ID, staff.CredentialID) error {
	return nil
}
