package eventstore_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// pages notes the first and last idx of each page that a handler was handed.
type pages struct {
	mu   sync.Mutex
	seen [][2]int64
}

func (p *pages) note(page []event.Recorded) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, [2]int64{page[0].Idx, page[len(page)-1].Idx})
}

// noteFirst notes a page unless it is handled again, as after an attempt that took too long.
func (p *pages) noteFirst(page []event.Recorded) {
	seen := p.all()
	if len(seen) == 0 || page[0].Idx > seen[len(seen)-1][1] {
		p.note(page)
	}
}

func (p *pages) all() [][2]int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.seen)
}

func TestFailedPageIsRetriedEventByEvent(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e, recorder := engineOn(t, db.URL), newRecorder(t, db)
	e.AppendMany(t, 6)
	e.Drain(t)
	var whole, lone pages
	consumer := e.consumer("recorder", func(ctx context.Context, conn *pgx.Conn, page []event.Recorded) error {
		whole.note(page)
		if err := recorder.handle(ctx, conn, page[:len(page)/2]); err != nil {
			return err
		}
		return errors.New("half of it is written")
	})
	consumer.Alone = func(ctx context.Context, conn *pgx.Conn, page []event.Recorded) error {
		lone.note(page)
		if page[0].Idx == 4 && len(lone.all()) < 6 { // twice
			return errors.New("not yet")
		}
		return recorder.handle(ctx, conn, page)
	}
	enginetest.RunUntilCleanup(t, consumer.Run)
	e.eventuallyHandled(t, idxUpTo(6))
	if got := whole.all(); !slices.Equal(got, [][2]int64{{1, 6}}) {
		t.Errorf("handed over as pages: %v", got)
	}
	if got := lone.all(); !slices.Equal(got, [][2]int64{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {4, 4}, {4, 4}, {5, 5}, {6, 6}}) {
		t.Errorf("handed over alone: %v", got)
	}
}

func TestAPageEndsEarlyWhenItsEventsAreLarge(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e, recorder := engineOn(t, db.URL), newRecorder(t, db)
	long := eventtest.Noted{Note: strings.Repeat("x", 3<<20)}
	for range 7 {
		e.Append(t, enginetest.NewStream(), 0, long)
	}
	e.Drain(t)
	var whole pages
	enginetest.RunUntilCleanup(t, e.consumer("recorder", func(ctx context.Context, conn *pgx.Conn, page []event.Recorded) error {
		whole.noteFirst(page)
		return recorder.handle(ctx, conn, page)
	}).Run)
	e.eventuallyHandled(t, idxUpTo(7))
	if got := whole.all(); !slices.Equal(got, [][2]int64{{1, 3}, {4, 6}, {7, 7}}) {
		t.Errorf("events of 3 MiB come in the pages %v", got)
	}
}

func TestLaterPagesAreHandledWhole(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e, recorder := engineOn(t, db.URL), newRecorder(t, db)
	const page = 3 // of 3 MiB each: a page ends with the one that reaches 8
	for range 3 * page {
		e.Append(t, enginetest.NewStream(), 0, eventtest.Noted{Note: strings.Repeat("x", 3<<20)})
	}
	e.Drain(t)
	var whole pages
	enginetest.RunUntilCleanup(t, e.consumer("recorder", func(ctx context.Context, conn *pgx.Conn, events []event.Recorded) error {
		if len(events) > 1 {
			whole.note(events)
		}
		if len(events) > 1 && events[0].Idx == 1 {
			return errors.New("one of them is wrong")
		}
		return recorder.handle(ctx, conn, events)
	}).Run)
	e.eventuallyHandled(t, idxUpTo(3*page))
	if got := whole.all(); !slices.Equal(got, [][2]int64{{1, page}, {page + 1, 2 * page}, {2*page + 1, 3 * page}}) {
		t.Errorf("handed over as pages: %v", got)
	}
}
