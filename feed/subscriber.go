package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"

	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

// Topic is the one topic of a [Subscriber].
const Topic = "frontdesk.log"

// Config configures a [Subscriber].
type Config struct {
	Conn     *nats.Conn // stays open; it reconnects without end (nats.MaxReconnects(-1))
	Practice string     // whose events are followed; "" for the whole log
	Name     string     // under which the follower was granted its part of the log; "" for the practice's
	API      string     // prefix of questions to the broker; "" for [API]
	Events   []string   // names of the events to hand over; nil for all

	// After returns the place of the last event that the follower has handled. The follower
	// stores it with the effects of that event. It is called at the beginning, and after an
	// event that was not acknowledged.
	After func(ctx context.Context) (Place, error)

	// Passed receives the place up to which there was nothing more to handle, unless it is
	// nil. It is called while no events come. A follower that stores the place reads less
	// after a restart.
	Passed func(ctx context.Context, at Place) error

	InFlight int          // bytes of messages that wait for the follower, about; 0 for 16 MiB
	Log      *slog.Logger // for warnings; nil for none
}

const defaultInFlight = 16 << 20

// Subscriber is watermill's view of the log: it hands over one event after another, each
// when the one before was acknowledged. It keeps no place on the broker.
//
// A message that was not acknowledged comes again unless [Config.After] returns its place.
// The subscriber waits for a broker that is away. A permanent error closes the channel, and
// [Subscriber.Err] returns it.
type Subscriber struct {
	following *following

	mu   sync.Mutex
	stop context.CancelFunc // nil until Subscribe
	done chan struct{}      // closed when run has ended
	err  error
}

// NewSubscriber returns a subscriber, or an error that names the fault in its configuration.
func NewSubscriber(c Config) (*Subscriber, error) {
	if c.Conn == nil || c.After == nil {
		return nil, errors.New("follow the log: Conn and After are needed")
	}
	known, err := codec()
	if err != nil {
		return nil, err
	}
	if err := check(c, known); err != nil {
		return nil, fmt.Errorf("follow the log: %w", err)
	}
	b, err := newBroker(c.Conn, c.API)
	if err != nil {
		return nil, err
	}
	c.Name = c.name()
	if c.InFlight == 0 {
		c.InFlight = defaultInFlight
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	f := &following{Config: c, broker: b, codec: known}
	return &Subscriber{following: f, done: make(chan struct{})}, nil
}

func check(c Config, known *event.Codec) error {
	if name := c.name(); name == "" || strings.ContainsAny(name, ". \t\r\n*>/\\") {
		return fmt.Errorf("%q can be no follower's name: give the one that frontdesk feed grant was given", name)
	}
	for _, name := range c.Events {
		if !known.Knows(name) {
			return fmt.Errorf("%w %q", event.ErrUnknownName, name)
		}
	}
	if c.Practice == "" {
		return nil
	}
	return practice.CheckTenant(c.Practice)
}

func (c Config) name() string { return cmp.Or(c.Name, c.Practice) }

// Subscribe begins to follow the log until ctx ends. The topic is [Topic]. A subscriber
// follows once: its place is that of one follower.
func (s *Subscriber) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	if topic != Topic {
		return nil, fmt.Errorf("the topic %q is none of the log's: subscribe to %q", topic, Topic)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		return nil, errors.New("this subscriber has followed already, or is closed: make another one")
	}
	ctx, s.stop = context.WithCancel(ctx)
	out := make(chan *message.Message)
	s.following.out = out
	go s.run(ctx, out)
	return out, nil
}

func (s *Subscriber) run(ctx context.Context, out chan<- *message.Message) {
	defer close(s.done)
	defer close(out)
	err := s.following.run(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	s.stop()
}

// Close ends the following, and waits until it has ended. The connection stays open.
func (s *Subscriber) Close() error {
	s.mu.Lock()
	if s.stop == nil {
		s.stop = func() {}
		close(s.done)
	}
	s.stop()
	s.mu.Unlock()
	<-s.done
	return nil
}

// Err returns why the channel was closed: a [LostError], a [GoneError], an
// [event.ErrUnknownName] or another permanent error. It is nil if ctx or
// [Subscriber.Close] has ended the following, and until the channel is closed.
func (s *Subscriber) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
