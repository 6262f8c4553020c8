package postgres

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/adapters/tracing"
	"frontdesk/domain/patient"
)

// errApart tells a member that it is not stored and in no group: it flies alone.
var errApart = errors.New("no group has stored it")

// store writes the events of one append, alone or in a group.
func (s *Store) store(ctx context.Context, events []written) error {
	ctx, cancel := s.DB.within(ctx)
	defer cancel()
	m := memberOf(events)
	if m != nil {
		m.span = tracing.SpanOf(ctx)
	}
	role := s.together.arrive(m)
	defer s.together.depart(role)
	switch role {
	case first:
		defer s.flyOn(m)
	case waits:
		if err := s.outcome(ctx, m); !errors.Is(err, errApart) {
			return err
		}
	case single:
	}
	return s.alone(ctx, events)
}

// patience is the wait for a group to set off. Who has waited longer flies alone, so that
// two groups that are stuck, behind somebody's row, do not stop all others.
const patience = time.Second

// outcome waits until a group has landed. A member whose context ends does not take
// the others down, so nobody knows whether it is stored if they have set off.
func (s *Store) outcome(ctx context.Context, m *member) error {
	enough := time.NewTimer(patience)
	defer enough.Stop()
	select {
	case err := <-m.outcome:
		return err
	case <-ctx.Done():
	case <-enough.C:
		if s.together.leave(m) {
			return errApart
		}
	}
	select {
	case err := <-m.outcome:
		return err
	case <-ctx.Done():
		s.together.leave(m)
		return faultOf(ctx.Err())
	}
}

// flyOn lands a group and lets those fly who wait, for as long as somebody does.
// [Store.Close] waits for them.
func (s *Store) flyOn(landed ...*member) {
	if group := s.together.land(landed...); len(group) > 0 {
		go s.fly(group)
	}
}

// fly stores one group after the other. Each member gets the outcome. If a group is
// refused, nothing of it is stored, and each flies again by itself, on its own caller's
// goroutine: so each caller is told what is wrong with its own append. If only patients are
// missing, those who need them fly again by themselves, and the others together. In any other case
// nobody knows whether it is stored, and nothing is sent again.
func (s *Store) fly(group []*member) {
	for len(group) > 0 {
		flown, err := group, s.storeGroup(group)
		if errors.Is(err, patient.ErrUnknown) {
			flown = s.sift(group)
			err = s.storeGroup(flown)
		}
		became := outcomeOf(err)
		s.together.count(became, len(flown))
		if became == refused {
			err = errApart
		}
		for _, m := range flown {
			m.outcome <- err
		}
		group = s.together.land(group...)
	}
}

func (s *Store) storeGroup(group []*member) error {
	if len(group) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(traceOf(group), callerLimit)
	defer cancel()
	events := eventsOf(group)
	batch := durably(events)
	queueGroup(batch, events)
	slices.SortStableFunc(group, byKey)
	for _, m := range group {
		queueAtOnce(batch, m.events)
	}
	return s.commit(ctx, batch)
}

// traceOf returns a context that belongs to the first append of a group that is traced:
// what is done for all of them stands there.
func traceOf(group []*member) context.Context {
	for _, m := range group {
		if m.span.Recording() {
			return m.span.Within(context.Background())
		}
	}
	return context.Background()
}

// byKey is the order in which members lock the rows that hold at once. Groups of two
// processes may have the same idempotency keys; what else is unique is hardly ever
// contended, and a deadlock is a refusal like any other.
func byKey(a, b *member) int {
	return bytes.Compare(a.key[:], b.key[:])
}

// columns are the arguments of [appendGroup]. Arrays of our own types would be encoded by
// reflection.
type columns struct {
	id, stream                   pgtype.FlatArray[pgtype.UUID]
	patient, practitioner        pgtype.FlatArray[pgtype.UUID]
	tenant, name, data, metadata []string
	version                      []int32
	at                           []time.Time
	sealed                       [][]byte
}

// eventsOf returns the events of a group, streams in the same order as in an append alone.
func eventsOf(group []*member) (events []written) {
	for _, m := range group {
		events = append(events, m.events...)
	}
	slices.SortFunc(events, func(a, b written) int {
		return cmp.Or(compareStreams(a.Stream, b.Stream), cmp.Compare(a.Version, b.Version))
	})
	return events
}

func queueGroup(batch *pgx.Batch, events []written) {
	var c columns
	for _, e := range events {
		c.add(e)
	}
	batch.Queue(appendGroup, c.id, c.tenant, c.stream, c.version, c.name, c.patient, c.data, c.metadata, c.at, c.sealed, c.practitioner)
	queueKeys(batch, events)
}

func (c *columns) add(e written) {
	c.id = append(c.id, nullable(&e.ID))
	c.stream = append(c.stream, nullable(&e.Stream.ID))
	c.patient = append(c.patient, idOrNull(e.Patient))
	c.practitioner = append(c.practitioner, nullable(e.practitioner))
	c.tenant = append(c.tenant, e.Stream.Tenant)
	c.name = append(c.name, e.Name)
	c.data = append(c.data, string(e.Data))
	c.metadata = append(c.metadata, string(e.Metadata))
	c.sealed = append(c.sealed, e.Sealed)
	c.version = append(c.version, int32(e.Version)) // as many as an append has events
	c.at = append(c.at, e.At)
}

// Close waits for the groups of appends that are under way. Their callers may have
// gone. Whoever appends later has a transaction of its own.
func (s *Store) Close() { s.together.close() }
