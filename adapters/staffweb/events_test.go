package staffweb_test

import (
	"bufio"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/staffweb"
	"frontdesk/adapters/staffweb/live"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// changes is a log of changes at practices.
type changes struct {
	mu     sync.Mutex
	events []event.Recorded
	seen   int64
	grown  chan struct{}
}

func (c *changes) Look(context.Context) (live.Sight, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	head := int64(len(c.events))
	s := live.Sight{Reset: c.seen == 0, From: c.seen, Upto: head, Head: head, Events: c.events[c.seen:]}
	c.seen = head
	return s, nil
}

func (*changes) Shown(context.Context) (int64, error) { return 0, nil }

func (c *changes) Grown() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.grown
}

// submit adds a request, and returns the id of its event.
func (c *changes) submit(tenant string) (id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := event.Recorded{Event: request.Submitted{}, Idx: int64(len(c.events) + 1), Stream: event.Stream{Tenant: tenant, ID: event.NewID()}}
	c.events = append(c.events, r)
	close(c.grown)
	c.grown = make(chan struct{})
	return r.Stream.ID.String()
}

// newLive is a service whose streams send a heartbeat ten times a second, and the log
// behind them.
func newLive(t *testing.T) (*service, *changes) {
	t.Helper()
	log := &changes{grown: make(chan struct{})}
	var hub *live.Hub
	s := newService(t, func(p *staffweb.Pages) {
		hub = live.NewHub(log, p.Now, slog.New(slog.DiscardHandler), nil)
		hub.Beat, p.Live = 100*time.Millisecond, hub
	})
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { hub.Run(ctx) })
	t.Cleanup(func() { hub.Close(); stop(); running.Wait() })
	for _, role := range []staff.Role{staff.Receptionist, staff.Manager} {
		s.register(t, elm, "the."+string(role), "Somebody", false)
		s.becomes(t, "the."+string(role), role)
	}
	return s, log
}

func (s *service) becomes(t *testing.T, username string, roles ...staff.Role) {
	t.Helper()
	must(t, s.pages.Desk.SetStaffRoles(t.Context(), commands.SetStaffRoles{Tenant: elm, Username: username, Roles: roles}))
}

// stream is the event stream of a browser.
type stream struct {
	*http.Response
	lines *bufio.Scanner
}

func (b *browser) stream(query string, header ...string) stream {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.service.URL+"/elm-street/staff/events?"+query, http.NoBody)
	must(b.t, err)
	for n := 0; n < len(header); n += 2 {
		r.Header.Set(header[n], header[n+1])
	}
	answer, err := b.client.Do(r)
	must(b.t, err)
	b.t.Cleanup(func() { _ = answer.Body.Close() })
	return stream{answer, bufio.NewScanner(answer.Body)}
}

// next returns the next line with a prefix.
func (s stream) next(t *testing.T, word string) string {
	t.Helper()
	for s.lines.Scan() {
		if strings.HasPrefix(s.lines.Text(), word) {
			return s.lines.Text()
		}
	}
	t.Fatalf("nothing begins with %q: %v", word, s.lines.Err())
	return ""
}

func TestStreamEndsWithSessionOrRights_D87(t *testing.T) {
	t.Parallel()
	s, log := newLive(t)
	b := s.browser(t)
	b.signIn(elm, "the.receptionist")
	log.submit(elm)
	heard := b.stream("topics=inbox&since=1")
	if got := heard.Header; got.Get("Content-Type") != "text/event-stream" || got.Get("Cache-Control") != "no-store" || got.Get("X-Accel-Buffering") != "no" {
		t.Errorf("header %v", got)
	}
	log.submit(oak)
	submitted := log.submit(elm)
	if got := heard.next(t, "data: {\"topic"); got != `data: {"topic":"inbox","what":"submitted","id":"`+submitted+`"}` {
		t.Errorf("heard %s", got)
	}
	// The header has the last event that the browser received, and overrides the page's
	// own position.
	if got := b.stream("topics=inbox&since=1", "Last-Event-ID", "2").next(t, "data: {\"topic"); !strings.Contains(got, submitted) {
		t.Errorf("heard %s", got)
	}
	// Neither a stream nor a fetch by script counts as activity.
	s.Pass(20 * time.Minute)
	heard.next(t, "event: beat")
	b.get("/elm-street/staff/account?fragment").wants(t, http.StatusOK, "", "Your account")
	s.Pass(15 * time.Minute)
	heard.next(t, "event: ended")
	b.get("/elm-street/staff/account").wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=account", "")
	// Changes of roles apply to running streams.
	b.signIn(elm, "the.receptionist")
	heard = b.stream("topics=inbox")
	heard.next(t, "event: beat")
	s.becomes(t, "the.receptionist", staff.Manager)
	heard.next(t, "event: ended")
	if b.stream("topics=inbox").StatusCode != http.StatusForbidden {
		t.Error("a manager is notified of requests")
	}
}

func TestStreamParameters_D87(t *testing.T) {
	t.Parallel()
	s, _ := newLive(t)
	b := s.browser(t)
	b.signIn(elm, "the.receptionist")
	id := event.NewID().String()
	for query, want := range map[string]int{
		"topics=inbox,day:" + id + ",board:" + id: http.StatusOK,
		"":                   http.StatusBadRequest,
		"topics=":            http.StatusBadRequest,
		"topics=people":      http.StatusBadRequest,
		"topics=inbox:" + id: http.StatusBadRequest,
		"topics=day":         http.StatusBadRequest,
		"topics=day:*":       http.StatusBadRequest,
		"topics=" + strings.Repeat("inbox,", 8) + "inbox": http.StatusBadRequest,
		"topics=inbox&since=x":                            http.StatusBadRequest,
		"topics=inbox&since=-1":                           http.StatusBadRequest,
	} {
		if got := b.stream(query).StatusCode; got != want {
			t.Errorf("%s: %d, want %d", query, got, want)
		}
	}
	if got := b.do(http.MethodHead, "/elm-street/staff/events?topics=inbox", nil); got.StatusCode != http.StatusOK {
		t.Errorf("HEAD: %s", got.Status)
	}
	s.pages.Live.Close()
	if got := b.stream("topics=inbox"); got.StatusCode != http.StatusServiceUnavailable || !got.Close {
		t.Errorf("a process that stops: %s", got.Status)
	}
}
