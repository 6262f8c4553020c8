//go:build prove

package trouble_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// writer does one deed after the other, in the way of its habit.
type writer struct {
	*world
	name  string // round/number
	round int
	dice  *rand.Rand
	do    func(*writer, context.Context)
	deeds int
}

// habits are the ways in which writers write. Those that leave transactions open are in
// transactions_prove_test.go.
var habits = []struct {
	name string
	do   func(*writer, context.Context)
}{
	{"append", (*writer).append},
	{"append", (*writer).append},
	{"append", (*writer).append},
	{"reception", (*writer).receive},
	{"slow", (*writer).dawdle},
	{"savepoint", (*writer).undoHalf},
	{"prepared", (*writer).prepare},
}

func (w *world) writer(round, number int, habit string) *writer {
	x := &writer{world: w, round: round, name: fmt.Sprintf("%d/%d", round+1, number), dice: diceOf(w.plan.seed, uint64(diceWriters+100*round+number))}
	for _, h := range habits {
		if h.name == habit {
			x.do = h.do
		}
	}
	return x
}

// patience is how long a writer waits for Postgres.
const patience = 5 * time.Second

func (x *writer) writeUntil(ctx context.Context) {
	for ctx.Err() == nil {
		deed, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		x.do(x, deed)
		cancel()
		wait(ctx, time.Duration(x.dice.IntN(8))*time.Millisecond)
	}
}

// begin begins a deed that comes after one that the writer has heard of.
func (x *writer) begin() deed {
	x.deeds++
	d := deed{name: fmt.Sprintf("%s/%d", x.name, x.deeds)}
	if heard := x.ledger.hearsay(x.dice); heard != "" {
		d.after = append(d.after, heard)
	}
	return d
}

// as names the deed in the events that are appended under the context.
func (d deed) as(ctx context.Context) context.Context {
	return event.WithMetadata(ctx, event.Metadata{Actor: event.Actor{Kind: event.ByService, ID: "search"}, RequestID: d.name})
}

// written is an event of a deed. Writers read the name of the deed in a stream that they load,
// so it is not tagged as personal: Load hides personal values.
type written struct {
	Deed string `json:"deed"`
}

// EventName returns the name that the event is stored under.
func (written) EventName() string { return "test.written.v1" }

// sharedStreams is how many streams the writers of a round fight over.
const sharedStreams = 6

// changes invents the events of a deed: for a stream or two, each of them new or shared. The
// deed comes after the events that it reads of a shared one.
func (x *writer) changes(ctx context.Context, d *deed, most int) (changes []event.Change, err error) {
	for range 1 + x.dice.IntN(most) {
		c := event.Change{Stream: event.Stream{Tenant: tenant, ID: event.DerivedID("trouble", d.name, strconv.Itoa(len(changes)))}}
		if k := x.dice.IntN(3 * sharedStreams); k < sharedStreams && len(changes) == 0 {
			c.Stream.ID = event.DerivedID("trouble", "shared", strconv.Itoa(x.round), strconv.Itoa(k))
			history, err := x.store.Load(ctx, c.Stream)
			if err != nil {
				return nil, err
			}
			c.Expected = len(history)
			for _, e := range history[max(0, len(history)-1):] {
				d.after = append(d.after, e.(written).Deed)
			}
		}
		for range 1 + x.dice.IntN(3) {
			c.Events = append(c.Events, written{Deed: d.name})
		}
		d.events += len(c.Events)
		changes = append(changes, c)
	}
	return changes, nil
}

// append appends as a call does.
func (x *writer) append(ctx context.Context) {
	d := x.begin()
	changes, err := x.changes(ctx, &d, 2)
	if err != nil {
		return // nothing was to be written yet
	}
	recorded, err := x.store.Append(d.as(ctx), changes...)
	for _, e := range recorded {
		d.ids = append(d.ids, e.ID)
	}
	d.fate = fateBy(err)
	x.ledger.note(d)
}

// receive registers a patient and opens their record, which applications are notified of.
func (x *writer) receive(ctx context.Context) {
	d := x.begin()
	d.events = 1
	id := patient.ID{UUID: event.NewID()}
	_, err := x.desk().RegisterPatient(d.as(ctx), commands.RegisterPatient{Tenant: tenant, Patient: id, Name: "Ann Archer"})
	d.fate = fateBy(err)
	if x.ledger.note(d); err != nil {
		return
	}
	opened := x.begin()
	opened.events, opened.after = 1, []string{d.name}
	opened.fate = fateBy(x.desk().OpenCareRecord(opened.as(ctx), commands.OpenCareRecord{Tenant: tenant, Patient: id}))
	x.ledger.note(opened)
}
