//go:build prove

package main_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"frontdesk/adapters/clock"
	"frontdesk/domain/event"
	"frontdesk/feed"
)

// follower reads all of the log from its beginning, with an account of its own, and continues
// until it is ended or stopped for good.
type follower struct {
	subscriber *feed.Subscriber
	ended      chan struct{}
	err        error // valid when it has ended

	mu  sync.Mutex
	ids []uuid.UUID             // of idx 1 and so on
	now feed.Place              // of the last of them
	at  map[uuid.UUID]time.Time // when the first event of a stream came
}

// follow starts a follower as soon as the stream exists.
func (c *natsCluster) follow() *follower {
	c.t.Helper()
	waitFor(c.t, func() bool { return c.lastOf(feed.StreamName(1)) > 0 })
	runProgram(c.t, append([]string{"feed", "grant", "--name", "everything"}, c.flags()...)...)
	conn, err := nats.Connect(c.url("everything"), nats.RootCAs(c.users.certificate), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		c.t.Fatal(err)
	}
	f := &follower{at: map[uuid.UUID]time.Time{}, ended: make(chan struct{})}
	f.subscriber, err = feed.NewSubscriber(feed.Config{Conn: conn, Name: "everything", After: f.place})
	if err != nil {
		c.t.Fatal(err)
	}
	messages, err := f.subscriber.Subscribe(context.WithoutCancel(c.t.Context()), feed.Topic)
	if err != nil {
		c.t.Fatal(err)
	}
	go func() {
		defer close(f.ended)
		for msg := range messages {
			m, err := feed.Read(msg)
			f.err = errors.Join(f.err, err, f.read(m))
			msg.Ack()
		}
		f.err = errors.Join(f.err, f.subscriber.Err())
	}()
	c.t.Cleanup(func() { _ = f.end(); conn.Close() })
	return f
}

func (f *follower) place(context.Context) (feed.Place, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now, nil
}

func (f *follower) read(m feed.Message) (err error) {
	now := clock.System()
	f.mu.Lock()
	defer f.mu.Unlock()
	if m.Idx != int64(len(f.ids))+1 {
		err = fmt.Errorf("idx %d comes after idx %d", m.Idx, len(f.ids))
	}
	f.ids, f.now = append(f.ids, m.ID), m.Place()
	if _, found := f.at[m.Stream.ID]; !found {
		f.at[m.Stream.ID] = now
	}
	return err
}

// end stops the follower, and returns its error.
func (f *follower) end() error {
	err := f.subscriber.Close()
	<-f.ended
	return errors.Join(err, f.err)
}

func (f *follower) idx() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return int64(len(f.ids))
}

// over reports whether the follower has stopped for good.
func (f *follower) over() bool {
	select {
	case <-f.ended:
		return true
	default:
		return false
	}
}

// wantRead fails unless the follower has read each event of a log once and in order.
func (f *follower) wantRead(t *testing.T, log []event.Stored) {
	t.Helper()
	for watch := clock.Start(); f.idx() < int64(len(log)) && watch.Elapsed() < time.Minute; {
		time.Sleep(20 * time.Millisecond)
	}
	if err := f.end(); err != nil || len(f.ids) != len(log) {
		t.Errorf("the follower has read %d events of %d: %v", len(f.ids), len(log), err)
		return
	}
	for n, e := range log {
		if f.ids[n] != e.ID {
			t.Errorf("idx %d: the follower has read %s, and the log has %s", e.Idx, f.ids[n], e.ID)
			return
		}
	}
}
