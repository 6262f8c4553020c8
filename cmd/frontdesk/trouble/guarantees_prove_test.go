//go:build prove

package trouble_test

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/event"
)

func (w *world) log() eventstore.Log { return eventstore.Log{DB: w.looks, Codec: w.store.Codec} }

// broken are the guarantees that do not hold, each with where to look. The world is at
// rest.
func (w *world) broken() (broken []string) {
	report := func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }
	broken = ask[[]string](w.cluster, straying)
	log, err := w.readLog()
	if err != nil {
		report("the log cannot be read: %v", err)
		return broken
	}
	w.checkPlaces(log, report)
	w.checkStreams(log, report)
	w.checkDeeds(log, report)
	w.checkHandled(int64(len(log)), report)
	w.checkDeliveries(log, report)
	return broken
}

type reporter = func(format string, args ...any)

// readLog reads the log by the program's own reader, which refuses a log that is not dense.
func (w *world) readLog() (log []event.Recorded, err error) {
	for e, err := range w.log().After(w.t.Context(), 0) {
		if err != nil {
			return nil, err
		}
		log = append(log, e)
	}
	return log, nil
}

// checkPlaces: an idx is final. An event that had one after an earlier round still has it.
func (w *world) checkPlaces(log []event.Recorded, report reporter) {
	for i, id := range w.placed {
		if i >= len(log) || log[i].ID != id {
			report("idx %d is no longer event %s", i+1, id)
		}
	}
	w.placed = w.placed[:0]
	for _, e := range log {
		w.placed = append(w.placed, e.ID)
	}
	twice := slices.Clone(w.placed)
	slices.SortFunc(twice, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	if n := len(slices.Compact(twice)); n != len(log) {
		report("the log has %d rows and %d events", len(log), n)
	}
}

// checkStreams: the versions of a stream ascend with idx, one by one.
func (w *world) checkStreams(log []event.Recorded, report reporter) {
	versions := map[uuid.UUID]int{}
	for _, e := range log {
		if e.Version != versions[e.Stream.ID]+1 {
			report("idx %d is version %d of stream %s, after version %d", e.Idx, e.Version, e.Stream.ID, versions[e.Stream.ID])
		}
		versions[e.Stream.ID] = e.Version
	}
}

// trace is the log's part of a deed.
type trace struct {
	events      int
	first, last int64 // idx
	ids         []uuid.UUID
}

func tracesIn(log []event.Recorded) map[string]trace {
	traces := map[string]trace{}
	for _, e := range log {
		t := traces[e.Metadata.RequestID]
		if t.events == 0 {
			t.first = e.Idx
		}
		t.events, t.last, t.ids = t.events+1, e.Idx, append(t.ids, e.ID)
		traces[e.Metadata.RequestID] = t
	}
	return traces
}

// checkDeeds: acknowledged deeds are there, refused ones are not, none is there in part, and
// each comes after the events that it was decided on.
func (w *world) checkDeeds(log []event.Recorded, report reporter) {
	traces, deeds := tracesIn(log), w.ledger.all()
	w.totals = tally{"events": len(log)}
	for name, d := range deeds {
		t := traces[name]
		whole := t.events == d.events
		for _, id := range d.ids {
			whole = whole && slices.Contains(t.ids, id)
		}
		switch {
		case d.fate == acknowledged && whole, d.fate != acknowledged && t.events == 0, d.fate == unknown && whole:
		default:
			report("%s was %s: %d of its %d events are in the log, as idx %d to %d, %v", name, d.fate, t.events, d.events, t.first, t.last, t.ids)
		}
		w.totals["appends "+string(d.fate)]++
		for _, before := range d.after {
			if b := traces[before]; t.events > 0 && (b.events == 0 || b.last >= t.first) {
				report("%s has idx %d, and came after %s, which has idx %d to %d", name, t.first, before, b.first, b.last)
			}
		}
	}
	for name, t := range traces {
		if _, known := deeds[name]; !known && name != "" {
			report("idx %d to %d are of %s, which no writer has done", t.first, t.last, name)
		}
	}
}
