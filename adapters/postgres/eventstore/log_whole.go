package eventstore

import (
	"context"
	"iter"

	"frontdesk/domain/event"
)

// Whole is an event as the program knows it, and as it is stored.
type Whole struct {
	event.Recorded
	Stored event.Stored
}

// After yields the events after an idx, in order, up to the end of the log. It
// reads page by page, so that a slow reader keeps no transaction open. It ends with
// an error at a missing idx and at an event name that this program does not know.
func (l Log) After(ctx context.Context, idx int64) iter.Seq2[event.Recorded, error] {
	return known(l.WholeAfter(ctx, idx))
}

// WholeAfter yields the events of [Log.After], also as stored. It reads a page ahead, so its
// DB has to answer two callers at once: a pool does, a transaction does not.
func (l Log) WholeAfter(ctx context.Context, idx int64) iter.Seq2[Whole, error] {
	return func(yield func(Whole, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		ahead := l.readAhead(ctx, idx)
		defer func() { cancel(); <-ahead }()
		next := func(ctx context.Context, idx int64) (sheet, error) {
			page, read := <-ahead
			if !read || len(page) == 0 { // the log ends here, or a hole or a fault is there
				return l.next(ctx, idx)
			}
			ahead = l.readAhead(ctx, page[len(page)-1].Idx)
			found, err := l.decode(ctx, page)
			if err != nil {
				err = readingAfter(idx+int64(len(found.known)), err)
			}
			return found, err
		}
		eachAfter(ctx, idx, next)(yield)
	}
}

// readAhead begins to read the page after an idx. The channel yields the page, unless it
// could not be read as a whole, and is closed.
func (l Log) readAhead(ctx context.Context, idx int64) <-chan []event.Stored {
	ahead := make(chan []event.Stored, 1)
	go func() {
		defer close(ahead)
		if page, err := l.Rows(ctx, idx); err == nil {
			ahead <- page
		}
	}()
	return ahead
}

// eachAfter yields the events of one page after another, up to an empty one.
func eachAfter(ctx context.Context, idx int64, next func(context.Context, int64) (sheet, error)) iter.Seq2[Whole, error] {
	return func(yield func(Whole, error) bool) {
		for {
			page, err := next(ctx, idx)
			for n, e := range page.known {
				if !yield(Whole{e, page.stored[n]}, nil) {
					return
				}
			}
			if err != nil {
				yield(Whole{}, err)
				return
			}
			if len(page.known) == 0 {
				return
			}
			idx = page.known[len(page.known)-1].Idx
		}
	}
}

func known(all iter.Seq2[Whole, error]) iter.Seq2[event.Recorded, error] {
	return func(yield func(event.Recorded, error) bool) {
		for e, err := range all {
			if !yield(e.Recorded, err) {
				return
			}
		}
	}
}

// sheet is events in the order of the log. More may be stored than are known, if one of them
// was the reason for an error.
type sheet struct {
	stored []event.Stored
	known  []event.Recorded
}
