package feed_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/feed"
)

// follower keeps its events and its place in memory.
type follower struct {
	t      *testing.T
	config feed.Config
	handle func(feed.Message) error // before it is kept; nil for nothing
	sub    *feed.Subscriber
	conn   *nats.Conn
	said   *lines

	mu     sync.Mutex
	at     feed.Place
	passed feed.Place
	kept   []feed.Message
	ended  chan struct{}
}

func follow(t *testing.T, url string, config feed.Config) *follower {
	t.Helper()
	f := &follower{t: t, config: config}
	f.connect(url)
	f.start()
	return f
}

func (f *follower) connect(url string, options ...nats.Option) {
	f.t.Helper()
	conn, err := nats.Connect(url, append(options, nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond), nats.ErrorHandler(nil))...)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(conn.Close)
	f.conn = conn
}

// start begins to follow, or goes on.
func (f *follower) start() {
	f.t.Helper()
	f.said = &lines{}
	if f.config.API = "$JS.API"; f.config.Practice == "" && f.config.Name == "" {
		f.config.Name = "everything"
	}
	f.config.Conn, f.config.After, f.config.Passed, f.config.Log = f.conn, f.place, f.pass, slog.New(slog.NewTextHandler(f.said, nil))
	sub, err := feed.NewSubscriber(f.config)
	if err != nil {
		f.t.Fatal(err)
	}
	messages, err := sub.Subscribe(context.WithoutCancel(f.t.Context()), feed.Topic)
	if err != nil {
		f.t.Fatal(err)
	}
	f.sub, f.ended = sub, make(chan struct{})
	go f.run(messages, f.ended)
	f.t.Cleanup(f.stop)
}

func (f *follower) run(messages <-chan *message.Message, ended chan<- struct{}) {
	defer close(ended)
	for msg := range messages {
		m, err := feed.Read(msg)
		if err != nil {
			f.t.Error(err)
		}
		if f.handle != nil {
			err = f.handle(m)
		}
		if err != nil {
			msg.Nack()
			continue
		}
		f.mu.Lock()
		f.kept, f.at = append(f.kept, m), m.Place()
		f.mu.Unlock()
		msg.Ack()
	}
}

func (f *follower) stop() {
	if err := f.sub.Close(); err != nil {
		f.t.Error(err)
	}
	<-f.ended
}

func (f *follower) place(context.Context) (feed.Place, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at, nil
}

func (f *follower) pass(_ context.Context, at feed.Place) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.passed, f.at = at, at
	return nil
}

func (f *follower) has() []feed.Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.kept)
}

// wants waits until the follower has received some events, each once and in order.
func (f *follower) wants(want []feed.Message) {
	f.t.Helper()
	clocktest.Eventually(f.t, func() bool { return len(f.has()) >= len(want) || f.over() },
		"%d events; %v have come; %s", len(want), clocktest.Lazy(func() any { return len(f.has()) }), f.said)
	got := f.has()
	for n := range min(len(got), len(want)) {
		if got[n].ID != want[n].ID || got[n].Place() != want[n].Place() {
			f.t.Fatalf("event %d is the one at %s and not at %s", n, got[n].Place(), want[n].Place())
		}
	}
	if len(got) != len(want) {
		f.t.Fatalf("%d events have come, and not %d: %v", len(got), len(want), f.sub.Err())
	}
}

func (f *follower) over() bool {
	select {
	case <-f.ended:
		return true
	default:
		return false
	}
}

// stopped waits until something has stopped the follower for good.
func (f *follower) stopped() error {
	f.t.Helper()
	clocktest.Eventually(f.t, f.over, "the follower to stop; %s", f.said)
	return f.sub.Err()
}

// waitForLog waits until the follower's log contains a text.
func (f *follower) waitForLog(text string) {
	f.t.Helper()
	clocktest.Eventually(f.t, func() bool { return strings.Contains(f.said.String(), text) }, "%q; %s", text, f.said)
}
