package live

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/background"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
)

// Hub notifies all streams of a process. It reads the log once for all of them.
type Hub struct {
	// Beat is the interval of heartbeats and access checks.
	Beat time.Duration

	source  Source
	now     func() time.Time
	log     *slog.Logger
	metrics *Metrics
	permits *admission.FairSemaphore // of streams, by practice
	closed  chan struct{}
	woken   chan struct{} // holds a value if a stream waits for a look

	mu       sync.Mutex
	streams  int
	joined   int                  // streams in all
	holders  map[string][]*Stream // streams by owner, oldest first
	feeds    map[string]*feed     // by practice
	history  int                  // counts the histories of the log
	base     int64                // streams behind this idx must reset
	upto     int64                // all messages up to here were sent
	begun    int                  // number of looks
	ended    int
	looked   background.Broadcast
	upToDate time.Time // when the read models were last up to date with the log
}

// Limits of the hub.
const (
	mostStreams    = 1000 // of a process
	sessionStreams = 4    // of a session
)

// NewHub returns a hub for [Hub.Run].
func NewHub(source Source, now func() time.Time, log *slog.Logger, metrics *Metrics) *Hub {
	return &Hub{
		Beat:   20 * time.Second,
		source: source, now: now, log: log, metrics: metrics, permits: admission.NewFairSemaphore(mostStreams),
		closed: make(chan struct{}), woken: make(chan struct{}, 1),
		holders: map[string][]*Stream{}, feeds: map[string]*feed{},
	}
}

// Source is the log as the read models show it.
type Source interface {
	// Look returns the events since the last look. The hub makes one call at a time.
	Look(ctx context.Context) (Sight, error)
	// Shown returns an idx up to which the read models are complete.
	Shown(ctx context.Context) (int64, error)
	// Grown is closed when the log has grown. The hub looks at least once a second.
	Grown() <-chan struct{}
}

// Sight is the result of one look.
type Sight struct {
	Reset  bool             // earlier sights are invalid
	From   int64            // the look covers the idx after From up to Upto
	Upto   int64            // the last idx in the read models
	Head   int64            // the last idx of the log
	Events []event.Recorded // those of the catalogue, in the order of the log
}

// RegisterMetrics registers the permits of streams as metrics.
func (h *Hub) RegisterMetrics(in *admission.Metrics) {
	in.Semaphores(map[string]*admission.FairSemaphore{"live-streams": h.permits})
}

const (
	pace = 5 * time.Millisecond // minimum time between two looks, so that messages are sent together
	late = 100 * time.Millisecond
	poll = time.Second // maximum time between two looks: another process may have grown the log
)

// Run looks at the log until ctx ends, and pauses without streams.
func (h *Hub) Run(ctx context.Context) {
	for rest := pace; h.waitForStreams(ctx); {
		grown := h.source.Grown()
		s, err := h.look(ctx)
		switch {
		case err != nil:
			if ctx.Err() == nil {
				h.log.WarnContext(ctx, "cannot read the log for live pages; retrying", slog.Any("error", err))
			}
			rest, grown = poll, nil
		case s.Upto == s.Head:
			rest = poll
		case s.Upto > s.From:
			rest = pace
		default: // a read model is catching up
			rest = min(2*rest, late)
		}
		h.pause(ctx, rest, grown)
	}
}

// waitForStreams waits until there are streams, and reports whether there are.
func (h *Hub) waitForStreams(ctx context.Context) bool {
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

// pause waits for the pace, and then for a change.
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

// look looks once, and notifies the streams.
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

// take processes the result of a look.
func (h *Hub) take(s Sight) {
	now := h.now()
	if s.Reset {
		h.forget(s.From)
	}
	for _, r := range s.Events {
		h.notify(r)
		h.metrics.observeLag(now.Sub(r.At))
	}
	h.upto = s.Upto
	if s.Upto == s.Head {
		h.upToDate = now
	}
}

// forget begins a new history. Messages of an earlier one may be invalid.
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

// notify keeps the messages of an event, and wakes the practice's streams.
func (h *Hub) notify(r event.Recorded) {
	if e, ok := r.Event.(epoch.Begun); ok {
		h.base = max(h.base, r.Idx, e.LastKnown+missing(e)+1)
		return
	}
	f := h.feed(r.Stream.Tenant)
	f.keep(messages(r))
	f.more.Notify()
}

// missing returns how many idx after the last common one had other events.
func missing(e epoch.Begun) int64 {
	if e.Missing == nil {
		return 0
	}
	return *e.Missing
}

// Since returns the idx from which a page follows changes. Call it before reading
// anything that the page shows.
func (h *Hub) Since(ctx context.Context) (int64, error) {
	h.mu.Lock()
	streams, upto := h.streams, h.upto
	h.mu.Unlock()
	if streams > 0 && upto > 0 {
		return upto, nil
	}
	return h.source.Shown(ctx)
}

// refreshed waits for a look that begins after the call.
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

// Close ends all streams and refuses new ones. It is called before anything else stops,
// so that browsers reconnect to another process.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !background.Notified(h.closed) {
		close(h.closed)
	}
}

// ErrStopping refuses a stream because the process is stopping.
var ErrStopping = errors.New("this process is stopping")
