package eventstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/sealing"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
)

const benchPatients = 10_000

// sealedBench is a store that encrypts, and writes notes and marks about the same patients.
type sealedBench struct {
	store    *eventstore.Store
	keys     *keyring.Keyring
	patients []uuid.UUID
}

func newSealedBench(b *testing.B, e *engine) *sealedBench {
	b.Helper()
	codec, err := event.NewCodec(append(eventtest.Events(), domain.Events()...)...)
	if err != nil {
		b.Fatal(err)
	}
	db := postgres.On(e.Pool)
	s := &sealedBench{keys: &keyring.Keyring{DB: db, Codec: codec, Masters: sealing.NewRing(sealing.MasterKey{1, 2, 3}), Now: enginetest.AtNoon}}
	if err := s.keys.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	s.store = &eventstore.Store{DB: db, Codec: codec, Keys: s.keys, Now: enginetest.AtNoon}
	for range benchPatients / 100 {
		var changes []event.Change
		for range 100 {
			id := uuid.New()
			s.patients = append(s.patients, id)
			changes = append(changes, event.Change{
				Stream: patient.StreamOf("elm-street", patient.ID{UUID: id}), Events: []event.Event{patient.Registered{Patient: patient.ID{UUID: id}, Name: "Ann Archer"}},
			})
		}
		if _, err := s.store.Append(b.Context(), changes...); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// note is an event with a personal value, and mark one without.
func (s *sealedBench) note() event.Event {
	return eventtest.Noted{Patient: s.patient(), Note: sample.Mark}
}

func (s *sealedBench) mark() event.Event {
	return eventtest.Marked{Patient: s.patient(), Mark: sample.Mark}
}

func (s *sealedBench) patient() uuid.UUID { return s.patients[rand.IntN(len(s.patients))] }

func (s *sealedBench) appending(newEvent func() event.Event) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := s.store.Append(ctx, event.Change{Stream: enginetest.NewStream(), Events: []event.Event{newEvent()}})
		return err
	}
}

// BenchmarkSealedAppend compares appends with a personal value with those without one.
func BenchmarkSealedAppend(b *testing.B) {
	admin, _, e := durable(b, 40)
	s := newSealedBench(b, e)
	for _, writers := range []int{8, 32} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			benchtest.Comparison{
				Ratio:   "of-clear",
				Floor:   benchtest.Rate{Unit: "clear/s", Turn: turnOf(b, writers, s.appending(s.mark))},
				Rate:    benchtest.Rate{Unit: "sealed/s", Turn: turnOf(b, writers, s.appending(s.note))},
				Cluster: benchtest.ClusterOf(b, admin),
			}.Run(b)
		})
	}
}

// BenchmarkKeys measures the cost of a key that is in memory, and of one that is not.
func BenchmarkKeys(b *testing.B) {
	_, _, e := durable(b, 4)
	s, now := newSealedBench(b, e), enginetest.Noon
	s.keys.Now = func() time.Time { return now }
	for name, cold := range map[string]bool{"warm": false, "cold": true} {
		b.Run(name, func(b *testing.B) {
			do := s.appending(s.note)
			for b.Loop() {
				if cold {
					now = now.Add(2 * time.Hour) // when no key is remembered any longer
				}
				if err := do(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSealedReplay compares reading a log whose personal values stay hidden with the
// same events in clear, and with opening them.
func BenchmarkSealedReplay(b *testing.B) {
	_, _, e := durable(b, 4)
	s := newSealedBench(b, e)
	const events = 20_000
	read := func(b *testing.B, from int64, log eventstore.Log) {
		b.Helper()
		n := 0
		for range b.N {
			for _, err := range log.After(b.Context(), from) {
				if err != nil {
					b.Fatal(err)
				}
				if n++; n%events == 0 {
					break
				}
			}
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
	}
	write := func(newEvent func() event.Event) (from int64) {
		e.Drain(b)
		from, err := eventstore.Log{DB: e.Pool}.Head(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for range events / 100 {
			var changes []event.Change
			for range 100 {
				changes = append(changes, event.Change{Stream: enginetest.NewStream(), Events: []event.Event{newEvent()}})
			}
			if _, err := s.store.Append(b.Context(), changes...); err != nil {
				b.Fatal(err)
			}
		}
		e.Drain(b)
		return from
	}
	plain, hidden := write(s.mark), write(s.note)
	log := eventstore.Log{DB: e.Pool, Codec: s.store.Codec}
	opened := log
	opened.Opens = s.keys
	b.Run("clear", func(b *testing.B) { read(b, plain, log) })
	b.Run("hidden", func(b *testing.B) { read(b, hidden, log) })
	b.Run("opened", func(b *testing.B) { read(b, hidden, opened) })
}
