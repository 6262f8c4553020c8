package broker_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/broker"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/event"
	"frontdesk/feed"
)

// fakeLog is a log that a test can change.
type fakeLog struct {
	mu     sync.Mutex
	events []event.Stored
	epochs feed.Epochs
	wait   string
	fails  error
	pages  int
	onPage func(pages int)
}

func newLog(events int) *fakeLog {
	l := &fakeLog{epochs: feed.Epochs{{Epoch: 1, First: 1}}}
	l.add(events)
	return l
}

// add adds events. Their personal data is in their boxes.
func (l *fakeLog) add(events int) {
	l.change(func() { l.more(events) })
}

func (l *fakeLog) more(events int) {
	for range events {
		l.append(event.Stored{Name: "patient-request.submitted.v1", Data: []byte(`{"answer":"` + event.Hidden + `"}`)})
	}
}

func (l *fakeLog) append(s event.Stored) {
	s.Idx, s.ID, s.Stream, s.Version = int64(len(l.events)+1), event.NewID(), event.Stream{Tenant: "elm-street", ID: event.NewID()}, 1
	s.At, s.Metadata, s.Sealed = commandtest.Noon, []byte(`{}`), []byte("Ann Archer")
	l.events = append(l.events, s)
}

// begin begins an epoch, after the loss of the end from an idx on.
func (l *fakeLog) begin(epoch int, from int64) { l.change(func() { l.begun(epoch, from) }) }

func (l *fakeLog) begun(epoch int, from int64) {
	l.events = slices.Clone(l.events[:from-1])
	l.append(event.Stored{Name: "log.epoch-begun.v1", Data: fmt.Appendf(nil, `{"epoch":%d}`, epoch)})
	for l.epochs[len(l.epochs)-1].First >= from {
		l.epochs = l.epochs[:len(l.epochs)-1]
	}
	l.epochs = append(slices.Clone(l.epochs), feed.Epoch{Epoch: epoch, First: from})
}

// change changes the log.
func (l *fakeLog) change(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

// Look returns the state of the log.
func (l *fakeLog) Look(context.Context) (broker.Look, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return broker.Look{Head: int64(len(l.events)), Epochs: l.epochs, Wait: l.wait}, l.fails
}

// Page returns a page of the log.
func (l *fakeLog) Page(_ context.Context, after int64, most int) (broker.Page, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pages++; l.onPage != nil {
		l.onPage(l.pages)
	}
	after = min(after, int64(len(l.events)))
	end := min(len(l.events), int(after)+most)
	var before uuid.UUID
	if after > 0 && int(after) <= end {
		before = l.events[after-1].ID
	}
	return broker.Page{
		Before: before, Epoch: l.epochs[len(l.epochs)-1].Epoch, Head: int64(len(l.events)), Events: slices.Clone(l.events[after:end]),
	}, l.fails
}

// Rest waits a moment.
func (l *fakeLog) Rest(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Millisecond):
	}
}
