package replay_test

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"testing"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// BenchmarkSealedRebuild compares the rebuild of a log of encrypted events, which opens
// the answers of the last day's calls, with that of the same log without a keyring.
// Staff are left out: without a keyring their few rows cannot be built.
func BenchmarkSealedRebuild(b *testing.B) {
	sealed, plain := newSurgery(b), newSurgery(b)
	plain.store.Keys, plain.keys = nil, nil
	const size = 20_000
	for _, s := range []*surgery{sealed, plain} {
		s.write(b, size)
		s.follow(b)
		s.exec(b, `VACUUM ANALYZE`)
	}
	turn := func(s *surgery) func() benchtest.Work {
		return func() benchtest.Work {
			rebuild := s.rebuild()
			rebuild.Log.Page, rebuild.Fresh = 0, true
			rebuild.Projections = slices.DeleteFunc(rebuild.Projections, func(p projections.Projection) bool { return p.Name() == projections.Staff{}.Name() })
			begun := clock.Start()
			result, err := rebuild.Run(b.Context())
			if err != nil || len(result.Differences) > 0 {
				b.Fatalf("%+v, %v", result.Differences, err)
			}
			return benchtest.Work{Done: size, Took: begun.Elapsed()}
		}
	}
	benchtest.Comparison{
		Ratio: "of-clear",
		Floor: benchtest.Rate{Unit: "clear/s", Turn: turn(plain)},
		Rate:  benchtest.Rate{Unit: "sealed/s", Turn: turn(sealed)},
	}.Run(b)
}

// write appends events of the usual kinds, every tenth by a call with an
// Idempotency-Key.
func (s *surgery) write(b *testing.B, n int) {
	b.Helper()
	about := s.patients["elm-street"][0]
	for i := 0; i < n; {
		ctx, size := b.Context(), 90
		if i%100 >= size {
			size = 1
			key := event.Idempotency{Key: sha256.Sum256([]byte(strconv.Itoa(i))), Body: event.Digest{1}.String()}
			ctx = event.WithMetadata(ctx, event.Metadata{Idempotency: key, Actor: event.Actor{Kind: event.ByService, ID: "test"}})
		}
		var changes []event.Change
		for range size {
			stream, e := usual(i, about)
			changes = append(changes, event.Change{Stream: stream, Events: []event.Event{e}})
			i++
		}
		if _, err := s.store.Append(ctx, changes...); err != nil {
			b.Fatal(err)
		}
	}
}
