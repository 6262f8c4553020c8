package broker

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/domain/event"
	"frontdesk/feed"
)

const (
	pageEvents    = 1000
	inFlight      = 4096     // messages
	bytesInFlight = 16 << 20 // of these
	again         = 10 * time.Second
	late          = 50 * time.Millisecond // for a relay that was overtaken in a long log
)

// stretch is a part of the log on its way into a stream. It is pipelined: a page is
// read while earlier ones are published, and these while still earlier ones are
// acknowledged.
type stretch struct {
	look   Look
	epoch  feed.Epoch
	stream jetstream.Stream
	after  int64
	end    int64 // of the epoch, or 0 if it is the current one

	came      clock.Stopwatch // since the last event
	pages     chan []event.Stored
	sent      chan pending
	overtaken *atomic.Bool // another relay has published part of it
}

// pending is an unacknowledged message.
type pending struct {
	idx    int64
	bytes  int64
	future jetstream.PubAckFuture
}

// pump publishes a stretch. In the current epoch it continues as long as events come.
// When idle it ends once in a while, so that everything is checked again.
func (r *Relay) pump(ctx context.Context, s stretch) error {
	s.came, s.overtaken = clock.Start(), &atomic.Bool{}
	s.pages, s.sent = make(chan []event.Stored, 1), make(chan pending, inFlight)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return r.read(ctx, s) })
	group.Go(func() error { return r.publish(ctx, s) })
	group.Go(func() error { return r.acknowledge(ctx, s) })
	err := group.Wait()
	if err != nil {
		r.abandon(s)
	}
	return err
}

// abandon drops what is in flight. It may still arrive, which does no harm.
func (r *Relay) abandon(s stretch) {
	r.js.CleanupPublisher()
	for m := range s.sent {
		r.room.Release(m.bytes)
	}
}

// read reads the log in pages.
func (r *Relay) read(ctx context.Context, s stretch) error {
	defer close(s.pages)
	known := r.compared
	for ctx.Err() == nil && (s.end == 0 || s.after < s.end) {
		page, err := r.readPage(ctx, s.after, pageEvents)
		if err != nil {
			return err
		}
		if page.Epoch != s.look.present().Epoch || page.Head < s.after {
			return errMoved
		}
		if err := known.leads(s.after, page); err != nil {
			return err
		}
		if len(page.Events) == 0 {
			if s.end > 0 || s.came.Elapsed() > again {
				return nil
			}
			r.waitAtEnd(ctx, s.after)
			continue
		}
		s.came = clock.Start()
		if s.overtaken.Swap(false) {
			if s.after, err = r.ahead(ctx, s, len(page.Events) == pageEvents); err != nil {
				return err
			}
			known = r.compared
			continue
		}
		if known, err = s.hand(ctx, page.Events); err != nil {
			return err
		}
		s.after = known.idx
	}
	return ctx.Err()
}

// waitAtEnd waits at the end of the log.
func (r *Relay) waitAtEnd(ctx context.Context, idx int64) {
	if r.last.Load() == idx {
		r.trouble.passed(ctx)
	}
	r.Source.Rest(ctx)
}

// hand passes a page to the publisher, up to the end of the epoch, and returns its last
// event.
func (s stretch) hand(ctx context.Context, page []event.Stored) (last position, err error) {
	if s.end > 0 {
		page = page[:min(int64(len(page)), s.end-s.after)]
	}
	select {
	case s.pages <- page:
		end := page[len(page)-1]
		return position{end.Idx, end.ID}, nil
	case <-ctx.Done():
		return position{}, ctx.Err()
	}
}

// readPage reads a page of the log.
func (r *Relay) readPage(ctx context.Context, after int64, most int) (Page, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	page, err := r.Source.Page(ctx, after, most)
	if err != nil {
		return Page{}, fmt.Errorf("read the log after idx %d: %w", after, err)
	}
	r.Metrics.head(page.Head)
	return page, nil
}

// ahead returns where to continue after another relay. In a long log it lets the other
// one go first.
func (r *Relay) ahead(ctx context.Context, s stretch, long bool) (int64, error) {
	if long {
		background.Sleep(ctx, late)
	}
	last, err := r.endOf(ctx, s.stream, s.look, s.epoch, s.end)
	if err == nil && s.end == 0 {
		r.reached(ctx, max(last, r.last.Load()))
	}
	return max(s.after, last), err
}

// publish publishes pages.
func (r *Relay) publish(ctx context.Context, s stretch) error {
	defer close(s.sent)
	if r.previous.epoch != s.epoch {
		r.previous = previous{epoch: s.epoch}
	}
	r.previous.stream = s.stream
	for page := range s.pages {
		for _, stored := range page {
			idx, err := r.previous.idxFor(ctx, stored)
			if err != nil {
				return err
			}
			m, err := r.send(ctx, feed.Message{Epoch: s.epoch.Epoch, Stored: stored, Before: idx})
			if err != nil {
				return err
			}
			select {
			case s.sent <- m:
			case <-ctx.Done():
				r.room.Release(m.bytes)
				return ctx.Err()
			}
		}
	}
	return nil
}

func (r *Relay) send(ctx context.Context, event feed.Message) (pending, error) {
	msg := feed.Encode(event)
	m := pending{idx: event.Idx, bytes: min(int64(msg.Size()), bytesInFlight)}
	if err := r.room.Acquire(ctx, m.bytes); err != nil {
		return pending{}, err
	}
	var err error
	m.future, err = r.js.PublishMsgAsync(msg, jetstream.WithExpectLastSequence(uint64(event.Idx-1)), jetstream.WithRetryAttempts(0))
	if err == nil {
		return m, nil
	}
	r.room.Release(m.bytes)
	if errors.Is(err, nats.ErrMaxPayload) {
		return pending{}, fmt.Errorf("the event of idx %d makes a message of %d bytes, and the broker takes %d: raise its max_payload", m.idx, msg.Size(), r.conn.MaxPayload())
	}
	return pending{}, fmt.Errorf("publish idx %d: %w", m.idx, err)
}

// acknowledge waits for the acknowledgements, in order.
func (r *Relay) acknowledge(ctx context.Context, s stretch) error {
	for m := range s.sent {
		err := r.await(ctx, s, m)
		r.room.Release(m.bytes)
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *Relay) await(ctx context.Context, s stretch, m pending) error {
	select {
	case ack := <-m.future.Ok():
		if ack.Sequence != uint64(m.idx) || ack.Stream != feed.StreamName(s.epoch.Epoch) {
			return fmt.Errorf("the broker has the event of idx %d of %s at %d of the stream %s", m.idx, s.epoch, ack.Sequence, ack.Stream)
		}
		if ack.Duplicate {
			s.overtaken.Store(true)
		}
	case err := <-m.future.Err():
		return fmt.Errorf("publish idx %d: %w", m.idx, err)
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.end > 0 {
		r.trouble.passed(ctx)
		return nil
	}
	r.reached(ctx, max(m.idx, r.last.Load()))
	return nil
}

// previous finds the previous event of each practice in a stream. The idx of one
// practice's events have gaps, so its followers need that to see that nothing is
// missing.
type previous struct {
	stream jetstream.Stream
	epoch  feed.Epoch
	last   map[string]int64 // idx, by tenant
	idx    int64            // idx of the last recorded event
}

// idxFor returns the idx of the last earlier event of the event's practice in the stream, 0
// if there is none, and records the event.
func (p *previous) idxFor(ctx context.Context, s event.Stored) (idx int64, err error) {
	if p.last == nil || s.Idx != p.idx+1 {
		p.last = map[string]int64{} // another relay has published the ones in between
	}
	idx, known := p.last[s.Stream.Tenant]
	if !known && s.Stream.Tenant != "" {
		if idx, err = p.lookUp(ctx, s.Stream.Tenant); err != nil {
			return 0, err
		}
	}
	p.last[s.Stream.Tenant], p.idx = s.Idx, s.Idx
	if idx >= s.Idx {
		return 0, nil // another relay has already published this one
	}
	return idx, nil
}

// lookUp queries the broker. If a practice's events have expired, it returns the idx just
// before the oldest message.
func (p *previous) lookUp(ctx context.Context, tenant string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	msg, err := p.stream.GetLastMsgForSubject(ctx, feed.Subject(p.epoch.Epoch, tenant, ">"))
	if err == nil {
		return int64(msg.Sequence), nil
	}
	if !errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, fmt.Errorf("ask the broker for the last event of a practice: %w", err)
	}
	info, err := p.stream.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("ask the broker for its oldest event: %w", err)
	}
	if first := int64(info.State.FirstSeq); first > p.epoch.First {
		return first - 1, nil
	}
	return 0, nil
}
