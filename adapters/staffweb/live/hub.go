package live

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/fair"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
)

// Hub tells all streams of a process what has changed. It looks at the log once for all
// of them.
type Hub struct {
	// Beat is how often a browser hears that its stream lives, and is asked whether it
	// still may listen.
	Beat time.Duration

	source  Source
	now     func() time.Time
	log     *slog.Logger
	metrics *Metrics
	seats   *fair.Shares // of streams, by practice
	closed  chan struct{}
	woken   chan struct{} // holds something if somebody waits for a look

	mu       sync.Mutex
	streams  int
	joined   int                  // streams in all
	holders  map[string][]*Stream // by whom the streams belong to, oldest first
	feeds    map[string]*feed     // by practice
	history  int                  // counts the histories of the log
	base     int64                // who was told less knows nothing that counts
	upto     int64                // everything up to here was told
	begun    int                  // looks
	ended    int
	looked   background.Broadcast
	upToDate time.Time // when the read models last showed the whole log
}

// Bounds of the hub.
const (
	mostStreams = 1000 // of a process
	ofHolder    = 4    // of a session
)

// NewHub returns a hub that [Hub.Run] has to keep going.
func NewHub(source Source, now func() time.Time, log *slog.Logger, metrics *Metrics) *Hub {
	return &Hub{
		Beat:   20 * time.Second,
		source: source, now: now, log: log, metrics: metrics, seats: fair.NewShares(mostStreams),
		closed: make(chan struct{}), woken: make(chan struct{}, 1),
		holders: map[string][]*Stream{}, feeds: map[string]*feed{},
	}
}

// Show shows the seats of streams as metrics.
func (h *Hub) Show(in *fair.Metrics) { in.Seats(map[string]*fair.Shares{"live-streams": h.seats}) }

const (
	pace = 5 * time.Millisecond // between two looks at least, so that what comes meanwhile is told together
	late = 100 * time.Millisecond
	poll = time.Second // between two looks at most: another process may have grown the log
)

// Run looks at the log until ctx ends, and rests while there are no streams.
func (h *Hub) Run(ctx context.Context) {
	for rest := pace; h.wanted(ctx); {
		grown := h.source.Grown()
		s, err := h.look(ctx)
		switch {
		case err != nil:
			if ctx.Err() == nil {
				h.log.WarnContext(ctx, "the log could not be read for live pages; retrying", slog.Any("error", err))
			}
			rest, grown = poll, nil
		case s.Upto == s.Head:
			rest = poll
		case s.Upto > s.From:
			rest = pace
		default: // a read model is on its way
			rest = min(2*rest, late)
		}
		h.pause(ctx, rest, grown)
	}
}

// wanted waits until there are streams, and reports whether there are.
func (h *Hub) wanted(ctx context.Context) bool {
	for ctx.Err() == nil {
		h.mu.Lock()
		streams := h.streams
		h.mu.Unlock()
		if streams > 0 {
			return true
		}
		select {
		case <-ctx.Done():
		case <-h.woken:
		}
	}
	return false
}

// pause waits for the pace, and then until something may have come.
func (h *Hub) pause(ctx context.Context, rest time.Duration, grown <-chan struct{}) {
	paced, rested := time.NewTimer(pace), time.NewTimer(rest)
	defer paced.Stop()
	defer rested.Stop()
	select {
	case <-ctx.Done():
		return
	case <-paced.C:
	}
	select {
	case <-ctx.Done():
	case <-grown:
	case <-h.woken:
	case <-rested.C:
	}
}

// look looks once, and tells everybody.
func (h *Hub) look(ctx context.Context) (Sight, error) {
	h.mu.Lock()
	h.begun++
	h.mu.Unlock()
	s, err := h.source.Look(ctx)
	if err != nil {
		return Sight{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.take(s)
	h.ended = h.begun
	h.looked.Notify()
	return s, nil
}

// take takes in what a look has found.
func (h *Hub) take(s Sight) {
	now := h.now()
	if s.Anew {
		h.forget(s.From)
	}
	for _, r := range s.Events {
		h.tell(r)
		h.metrics.told(now.Sub(r.At))
	}
	h.upto = s.Upto
	if s.Upto == s.Head {
		h.upToDate = now
	}
}

// forget begins a history. What somebody was told in an earlier one may mean something
// else now.
func (h *Hub) forget(from int64) {
	h.history++
	h.base = max(from, h.upto+1)
	if h.upto == 0 {
		h.base = from
	}
	for _, f := range h.feeds {
		f.messages, f.dropped = nil, 0
		f.more.Notify()
	}
}

// tell keeps what pages are told of an event, and wakes the practice's streams.
func (h *Hub) tell(r event.Recorded) {
	if e, ok := r.Event.(epoch.Begun); ok {
		h.base = max(h.base, r.Idx, e.LastKnown+missing(e)+1)
		return
	}
	f := h.feed(r.Stream.Tenant)
	f.keep(messages(r))
	f.more.Notify()
}

// missing is how many idx after the last known one meant something else.
func missing(e epoch.Begun) int64 {
	if e.Missing == nil {
		return 0
	}
	return *e.Missing
}

// Since returns an idx from which a page has to be told on. Ask before anything is read
// that the page shows.
func (h *Hub) Since(ctx context.Context) (int64, error) {
	h.mu.Lock()
	streams, upto := h.streams, h.upto
	h.mu.Unlock()
	if streams > 0 && upto > 0 {
		return upto, nil
	}
	return h.source.Shown(ctx)
}

// refreshed waits for a look that begins from now on.
func (h *Hub) refreshed(ctx context.Context) error {
	h.mu.Lock()
	need := h.begun + 1
	h.mu.Unlock()
	select {
	case h.woken <- struct{}{}:
	default:
	}
	for {
		h.mu.Lock()
		done, looked := h.ended >= need, h.looked.Next()
		h.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-h.closed:
			return ErrStopping
		case <-looked:
		}
	}
}

// Close ends all streams and begins no more. It is called before anything else stops, so
// that browsers come back to another process.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !background.Notified(h.closed) {
		close(h.closed)
	}
}

// ErrStopping refuses a stream of a process that stops.
var ErrStopping = errors.New("this process is stopping")
