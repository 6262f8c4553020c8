package peers_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/clock"
)

// order is a peer's work for one turn. A child process reads it as a line of JSON.
type order struct {
	Do      string `json:"do"`
	Writers int    `json:"writers,omitempty"`
	Millis  int    `json:"millis,omitempty"` // how long to write, or the pause between two events
	Events  int    `json:"events,omitempty"`
	Name    string `json:"name,omitempty"` // of a consumer, which stores its offset under it
}

// answer is the result of an order.
type answer struct {
	Done   float64   `json:"done"`   // operations
	Millis float64   `json:"millis"` // their duration
	Lags   []float64 `json:"lags"`   // from an append's return to the handler, in ms
	Error  string    `json:"error"`

	Version string   `json:"version"` // in the first answer of a child
	Lacks   []string `json:"lacks"`   // orders that it cannot carry out
}

// store is the operations of a peer. It lacks those that are nil. A key is in the event's data, so
// that a handler can identify the event.
type store struct {
	fill   func(ctx context.Context, events int) error
	append func(ctx context.Context, key uuid.UUID) error // to a new stream
	update func(ctx context.Context, stream uuid.UUID, version int) error
	decide func(ctx context.Context, stream uuid.UUID) error // read the stream, append to it
	follow func(ctx context.Context, name string, handle func(key uuid.UUID)) (stop func(), err error)
	replay func(ctx context.Context) (events int, err error)
}

func (s store) perform(ctx context.Context, o order) (answer, error) {
	switch o.Do {
	case "fill":
		return answer{}, s.fill(ctx, o.Events)
	case "append":
		return write(ctx, o, func() func() error {
			return func() error { return s.append(ctx, uuid.New()) }
		})
	case "update":
		return write(ctx, o, onStreams(func(stream uuid.UUID, version int) error { return s.update(ctx, stream, version) }))
	case "decide":
		return write(ctx, o, onStreams(func(stream uuid.UUID, _ int) error { return s.decide(ctx, stream) }))
	case "catchUp":
		return s.catchUp(ctx, o)
	case "lag":
		return s.lag(ctx, o)
	case "replay":
		begun := clock.Start()
		events, err := s.replay(ctx)
		return answer{Done: float64(events), Millis: millis(begun.Elapsed())}, err
	}
	return answer{}, fmt.Errorf("nobody knows how to %s", o.Do)
}

// write lets each writer repeat an operation for a while.
func write(ctx context.Context, o order, writer func() func() error) (answer, error) {
	var done atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, o.Writers)
	begun := clock.Start()
	for n := range o.Writers {
		do := writer()
		group.Go(func() {
			for ctx.Err() == nil && begun.Elapsed() < time.Duration(o.Millis)*time.Millisecond {
				if errs[n] = do(); errs[n] != nil {
					return
				}
				done.Add(1)
			}
		})
	}
	group.Wait()
	return answer{Done: float64(done.Load()), Millis: millis(begun.Elapsed())}, errors.Join(errs...)
}

// onStreams gives a writer a stream of its own, and a new one after ten events.
func onStreams(do func(stream uuid.UUID, version int) error) func() func() error {
	return func() func() error {
		var stream uuid.UUID
		turn := 0
		return func() error {
			if turn%10 == 0 {
				stream = uuid.New()
			}
			turn++
			return do(stream, (turn-1)%10)
		}
	}
}

// catchUp follows until a consumer has handled an event that is appended now.
func (s store) catchUp(ctx context.Context, o order) (answer, error) {
	last, events, done := uuid.New(), 0, make(chan struct{})
	begun := clock.Start()
	stop, err := s.follow(ctx, o.Name, func(key uuid.UUID) {
		if events++; key == last {
			close(done)
		}
	})
	if err != nil {
		return answer{}, err
	}
	defer stop()
	if err := s.append(ctx, last); err != nil {
		return answer{}, err
	}
	select {
	case <-done:
		return answer{Done: float64(events), Millis: millis(begun.Elapsed())}, nil
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
}

// lag appends at a pace and returns the time from each append's return until the event was handled.
// It is 0 if the consumer was faster than the return.
func (s store) lag(ctx context.Context, o order) (answer, error) {
	var mu sync.Mutex
	watch := clock.Start()
	handled, all := map[uuid.UUID]time.Duration{}, make(chan struct{})
	appended := make(map[uuid.UUID]time.Duration, o.Events)
	keys := make(map[uuid.UUID]bool, o.Events)
	for range o.Events {
		keys[uuid.New()] = true
	}
	stop, err := s.follow(ctx, o.Name, func(key uuid.UUID) {
		mu.Lock()
		defer mu.Unlock()
		if !keys[key] {
			return
		}
		if handled[key] = watch.Elapsed(); len(handled) == o.Events {
			close(all)
		}
	})
	if err != nil {
		return answer{}, err
	}
	defer stop()
	begun, n := clock.Start(), 0
	for key := range keys {
		time.Sleep(time.Duration(n*o.Millis)*time.Millisecond - begun.Elapsed())
		n++
		if err := s.append(ctx, key); err != nil {
			return answer{}, err
		}
		appended[key] = watch.Elapsed()
	}
	select {
	case <-all:
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
	lags := make([]float64, 0, o.Events)
	for key, at := range appended {
		lags = append(lags, max(0, millis(handled[key]-at)))
	}
	return answer{Done: float64(o.Events), Millis: millis(begun.Elapsed()), Lags: lags}, nil
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
