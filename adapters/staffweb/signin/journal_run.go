package signin

import (
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

const (
	roundLimit = 10 * time.Second
	lastLimit  = 5 * time.Second // for the rest of the queue when ctx ends
	oneBatch   = 500
)

// Run appends to the log until ctx ends. Then it has 5 s for the rest of the queue.
// Stop all callers of the other methods before you end ctx.
func (j *Journal) Run(ctx context.Context) {
	err := j.WriteBehind.Run(ctx, j.round)
	if err != nil {
		left := len(j.First(j.Limit)) + len(j.tried)
		j.metrics.lost.Add(float64(left))
		j.Log.ErrorContext(ctx, "sign-in events were lost", slog.Int("happenings", left), slog.Any("error", err))
	}
}

// round processes the whole queue. last: there is no other round.
func (j *Journal) round(ctx context.Context, last bool) error {
	ctx, cancel := context.WithTimeout(ctx, roundLimit)
	defer cancel()
	for batch := j.First(oneBatch); len(batch) > 0; batch = j.First(oneBatch) {
		if err := j.take(ctx, batch); err != nil {
			return err
		}
	}
	if err := errors.Join(j.sources.discard(ctx, j.instant()), j.counts.discard(ctx, j.Tries.Now())); err != nil {
		return err
	}
	return j.appendAttempts(ctx, last)
}

// take appends sessions, and counts attempts at existing accounts.
func (j *Journal) take(ctx context.Context, batch []happening) error {
	today, err := j.sources.markers(ctx, j.instant())
	if err != nil {
		return err
	}
	owners, err := j.owners(ctx, batch)
	if err != nil {
		return err
	}
	for _, h := range batch {
		if h.Staff == (staff.ID{}) {
			h.Staff = owners[Account{h.Tenant, h.Username}]
		}
		if err := j.process(ctx, h, markOf(h.Source, today)); err != nil {
			return err
		}
		j.Remove(1)
	}
	return nil
}

// markOf returns the mark of a source in the log, which is equal for equal sources of a day.
func markOf(source string, today []marker) staff.Source {
	return staff.Source(hex.EncodeToString(today[len(today)-1].of(source)[:8]))
}

// process processes one happening. Unknown accounts get no event.
func (j *Journal) process(ctx context.Context, h happening, from staff.Source) error {
	switch {
	case h.Staff == (staff.ID{}):
		return nil
	case h.kind == failed || h.kind == lockedOut:
		return j.count(ctx, h, from)
	}
	ctx = event.WithMetadata(ctx, event.Metadata{Actor: event.Staff(h.Staff.UUID), RequestID: h.request})
	var events []event.Event
	err := commands.Update(ctx, j.Store, staff.SessionStream(h.Tenant, h.Session), func(s staff.Session) (_ []event.Event, err error) {
		if h.kind == signedOut {
			events, err = s.End(staff.SignedOut{Staff: h.Staff, Session: h.Session, At: h.at})
			return events, err
		}
		events, err = s.Begin(staff.SignedIn{Staff: h.Staff, Session: h.Session, How: h.How, Source: from, At: h.at})
		return events, err
	})
	return j.appended(ctx, events, err)
}

// appended counts the events of an append, which are lost if the database will never
// accept them. An error means that it may accept them later.
func (j *Journal) appended(ctx context.Context, events []event.Event, err error) error {
	if err == nil {
		for _, e := range events {
			j.metrics.appended.WithLabelValues(e.EventName()).Inc()
		}
		return nil
	}
	if f, ok := errors.AsType[*fault.Error](err); ctx.Err() != nil || ok && f.Kind == fault.Unavailable {
		return err
	}
	j.metrics.lost.Add(float64(len(events)))
	j.Log.ErrorContext(ctx, "sign-in events cannot be appended", slog.Any("error", err))
	return nil
}

type journalMetrics struct {
	appended *prometheus.CounterVec
	lost     prometheus.Counter
}

func newJournalMetrics(registry prometheus.Registerer) journalMetrics {
	m := journalMetrics{
		prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "frontdesk_sign_in_events_total",
			Help: "Events of sign-ins at accounts that there are, by their names. One event may stand for many tries in vain.",
		}, []string{"event"}),
		prometheus.NewCounter(prometheus.CounterOpts{
			Name: "frontdesk_sign_in_events_lost_total",
			Help: "What happened at sign-in, and is missing in the log.",
		}),
	}
	registry.MustRegister(m.appended, m.lost)
	return m
}
