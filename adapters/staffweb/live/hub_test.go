package live_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/staffweb/live"
	"frontdesk/domain/appointment"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
)

const elm, oak = "elm-street", "oak-lane"

// fakeLog is a log whose read models are up to date, unless held back.
type fakeLog struct {
	mu     sync.Mutex
	events []event.Recorded
	seen   int64 // how far the hub has looked
	moved  bool  // the log continues in another history
	held   int64 // the read models show nothing after it; 0 for no limit
	looks  int
	grown  chan struct{}
}

func (f *fakeLog) Look(context.Context) (live.Sight, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks++
	s := live.Sight{Reset: f.looks == 1 || f.moved, From: f.seen, Head: int64(len(f.events))}
	if f.moved {
		s.From, f.moved = 0, false
	}
	s.Upto = s.Head
	if f.held > 0 {
		s.Upto = min(s.Head, f.held)
	}
	s.Events = slices.Clone(f.events[s.From:s.Upto])
	f.seen = s.Upto
	return s, nil
}

func (f *fakeLog) Shown(context.Context) (int64, error) { return 7, nil }

func (f *fakeLog) Grown() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.grown
}

func (f *fakeLog) hold(upto int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = upto
}

func (f *fakeLog) looked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.looks
}

func (f *fakeLog) append(tenant string, events ...event.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range events {
		idx := int64(len(f.events) + 1)
		stream := event.Stream{Tenant: tenant, ID: idOf(idx)}
		if of, ok := e.(appointment.Event); ok {
			stream = appointment.StreamOf(tenant, of.EventSubject().Appointment)
		}
		f.events = append(f.events, event.Recorded{Event: e, Idx: idx, Stream: stream, At: clock.System()})
	}
	close(f.grown)
	f.grown = make(chan struct{})
}

// idOf is an id that shows its idx.
func idOf(idx int64) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("00000000-0000-4000-8000-%012d", idx))
}

// hall is a running hub, over a log of its own.
type hall struct {
	t *testing.T
	*live.Hub
	log *fakeLog
}

// inHall runs a test with a clock of its own.
func inHall(t *testing.T, test func(hall)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		log := &fakeLog{grown: make(chan struct{})}
		h := hall{t, live.NewHub(log, clock.System, slog.New(slog.DiscardHandler), nil), log}
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { h.Run(ctx) })
		test(h)
		h.Close()
		stop()
		running.Wait()
	})
}

// browser records its messages.
type browser struct {
	mu     sync.Mutex
	text   bytes.Buffer
	header http.Header
	gone   bool
	over   chan struct{}
	bye    context.CancelFunc
}

func (b *browser) Header() http.Header { return b.header }
func (*browser) WriteHeader(int)       {}
func (*browser) Flush()                {}

func (b *browser) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone {
		return 0, errors.New("the connection is gone")
	}
	return b.text.Write(p)
}

// heard returns the messages since the last call, one line each: its id, the name of
// its event and its topic, what and id.
func (b *browser) heard() (lines []string) {
	time.Sleep(20 * time.Millisecond) // the hub has a pace
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	for message := range strings.SplitSeq(b.text.String(), "\n\n") {
		if message != "" && !strings.HasPrefix(message, "retry:") {
			lines = append(lines, strings.ReplaceAll(message, "\n", " "))
		}
	}
	b.text.Reset()
	return lines
}

func (h hall) listen(holder string, since int64, topics ...live.Topic) *browser {
	h.t.Helper()
	b, err := h.tryListen(h.t.Context(), live.Subscription{Tenant: elm, Holder: holder, Topics: topics, Since: since}, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	return b
}

func (h hall) tryListen(ctx context.Context, wish live.Subscription, still live.AccessCheck) (*browser, error) {
	ctx, bye := context.WithCancel(ctx)
	stream, err := h.Join(ctx, wish)
	if err != nil {
		bye()
		return nil, err
	}
	b := &browser{header: http.Header{}, over: make(chan struct{}), bye: bye}
	if still == nil {
		still = func(context.Context) (bool, error) { return true, nil }
	}
	go func() {
		defer close(b.over)
		h.Serve(ctx, b, stream, still)
	}()
	h.t.Cleanup(bye)
	return b, nil
}

func (h hall) wantHeard(b *browser, want ...string) {
	h.t.Helper()
	if got := b.heard(); !slices.Equal(got, want) {
		h.t.Errorf("heard\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

var inbox = live.Topic{Kind: live.Inbox}

func submitted(idx int64) string {
	return fmt.Sprintf(`id: %d data: {"topic":"inbox","what":"submitted","id":%q}`, idx, idOf(idx))
}

// isOver reports whether the stream has ended.
func (b *browser) isOver() bool {
	time.Sleep(20 * time.Millisecond)
	synctest.Wait()
	select {
	case <-b.over:
		return true
	default:
		return false
	}
}

func TestStreamContinuesFromLastIdx_D87(t *testing.T) {
	t.Parallel()
	inHall(t, func(h hall) {
		h.log.append(elm, request.Submitted{}, request.Submitted{}, request.Submitted{})
		first, second := h.listen("a", 0, inbox), h.listen("b", 1, inbox)
		h.wantHeard(first)
		h.wantHeard(second, submitted(2), submitted(3))
		h.log.append(oak, request.Submitted{})
		h.log.append(elm, request.Submitted{}, epoch.Begun{}) // the last one has no message
		h.wantHeard(first, submitted(5))
		h.wantHeard(second, submitted(5))
		first.bye()
		h.log.append(elm, request.Submitted{})
		h.wantHeard(h.listen("a", 6, inbox), submitted(7))
		h.wantHeard(second, submitted(7))
	})
}

func TestSiteGetsItsOwnAppointments_D87(t *testing.T) {
	t.Parallel()
	inHall(t, func(h hall) {
		here, there := site.ID{UUID: event.NewID()}, site.ID{UUID: event.NewID()}
		subject := appointment.Subject{Appointment: appointment.ID{UUID: idOf(1)}, Site: here}
		day, screen, other := live.Topic{Kind: live.Day, Site: here}, live.Topic{Kind: live.Board, Site: here}, live.Topic{Kind: live.Day, Site: there}
		both, elsewhere := h.listen("a", 0, day, screen), h.listen("b", 0, other, inbox)
		h.log.append(elm, appointment.Booked{Subject: subject}, appointment.CalledIn{Subject: subject})
		message := func(topic live.Topic, what string) string {
			return fmt.Sprintf(`data: {"topic":%q,"what":%q,"id":%q}`, topic, what, idOf(1))
		}
		// A browser that has received half of an event gets it again.
		h.wantHeard(both, "id: 1 "+message(day, "booked"), message(day, "called-in"), "id: 2 "+message(screen, "called-in"))
		h.wantHeard(elsewhere)
		h.log.append(elm, appointment.Moved{Subject: appointment.Subject{Appointment: subject.Appointment, Site: there}, From: here})
		h.wantHeard(both, "id: 3 "+message(day, "moved"))
		h.wantHeard(elsewhere, "id: 3 "+message(other, "moved"))
	})
}

func TestBrowserTooFarBehindIsReset_D87(t *testing.T) {
	t.Parallel()
	inHall(t, func(h hall) {
		h.log.append(elm, slices.Repeat([]event.Event{request.Submitted{}}, 300)...)
		h.wantHeard(h.listen("a", 43, inbox), "event: reset id: 300 data: {}")
		if got := h.listen("b", 44, inbox).heard(); len(got) != 256 || got[0] != submitted(45) {
			t.Errorf("%d messages from %q on", len(got), got[0])
		}
		h.wantHeard(h.listen("c", 301, inbox), "event: reset id: 300 data: {}") // of another history
		h.wantHeard(h.listen("d", 300, inbox))
	})
}

func TestStreamEndsWhenHistoryChanges_D87(t *testing.T) {
	t.Parallel()
	inHall(t, func(h hall) {
		h.log.append(elm, slices.Repeat([]event.Event{request.Submitted{}}, 9)...)
		before := h.listen("a", 0, inbox)
		h.wantHeard(before)
		h.log.mu.Lock()
		h.log.events, h.log.moved = h.log.events[:5], true
		h.log.mu.Unlock()
		h.log.append(oak, epoch.Begun{})
		h.wantHeard(before, "event: reset id: 6 data: {}")
		h.log.append(elm, request.Submitted{})
		h.wantHeard(before, submitted(7))
		h.wantHeard(h.listen("b", 7, inbox), "event: reset id: 7 data: {}") // was idx 7 of this history or of the other one?
		h.log.append(elm, slices.Repeat([]event.Event{request.Submitted{}}, 5)...)
		h.wantHeard(h.listen("c", 11, inbox), submitted(12))
	})
}

func TestNewEpochResetsEarlierIdx_D87(t *testing.T) {
	t.Parallel()
	inHall(t, func(h hall) {
		missing := int64(3)
		h.log.append(elm, request.Submitted{}, request.Submitted{}, epoch.Begun{LastKnown: 2, Missing: &missing}, request.Submitted{}, request.Submitted{}, request.Submitted{}, request.Submitted{})
		h.wantHeard(h.listen("a", 5, inbox), "event: reset id: 7 data: {}")
		h.wantHeard(h.listen("b", 6, inbox), submitted(7))
	})
}
