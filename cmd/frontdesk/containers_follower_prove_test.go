//go:build prove

package main_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"frontdesk/domain/request"
	"frontdesk/feed"
)

// containersFollower follows the practice from its first event on, through the port that is
// published on loopback.
type containersFollower struct {
	*containers

	mu        sync.Mutex
	place     feed.Place
	submitted counted
}

// follow follows until the test ends.
func (c *containers) follow() *containersFollower {
	c.t.Helper()
	f := &containersFollower{containers: c}
	conn, err := nats.Connect(fmt.Sprintf("tls://%s:%s@127.0.0.1:4222", surgeryTenant, strings.TrimSpace(c.read("secrets/elm-street.password"))),
		nats.RootCAs(filepath.Join(c.dir, "secrets", "nats-ca.pem")), nats.MaxReconnects(-1))
	c.must(err)
	subscriber, err := feed.NewSubscriber(feed.Config{Conn: conn, Practice: surgeryTenant, After: f.after})
	c.must(err)
	messages, err := subscriber.Subscribe(context.WithoutCancel(c.t.Context()), feed.Topic)
	c.must(err)
	var reading sync.WaitGroup
	reading.Go(func() {
		for message := range messages {
			m, err := feed.Read(message)
			if err != nil {
				c.t.Errorf("follow: %v", err)
			}
			f.took(m)
			message.Ack()
		}
		if err := subscriber.Err(); err != nil {
			c.t.Errorf("the follower stopped: %v", err)
		}
	})
	c.t.Cleanup(func() { _ = subscriber.Close(); reading.Wait(); conn.Close() })
	return f
}

func (f *containersFollower) after(context.Context) (feed.Place, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.place, nil
}

func (f *containersFollower) took(m feed.Message) {
	f.mu.Lock()
	f.place = m.Place()
	f.mu.Unlock()
	if m.Name == (request.Submitted{}).EventName() {
		f.submitted.add(m.Stream.ID.String())
	}
}

// wantAll waits until the follower has every answered request.
func (f *containersFollower) wantAll() {
	f.t.Helper()
	waitFor(f.t, func() bool {
		known := f.submitted.counts()
		for _, id := range f.answered.ids {
			if known[id.String()] == 0 {
				return false
			}
		}
		return true
	})
	if twice := f.submitted.twice(); len(twice) > 0 {
		f.t.Errorf("followed twice: %v", twice)
	}
}
