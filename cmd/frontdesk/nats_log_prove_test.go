//go:build prove

package main_test

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/event"
	"frontdesk/feed"
)

// storedIn reads the log of a database: the events of idx 1 and so on, without boxes.
func storedIn(t *testing.T, url string) (log []event.Stored) {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for {
		page, err := postgres.Log{DB: pool}.Rows(t.Context(), int64(len(log)))
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return log
		}
		for _, e := range page {
			e.Sealed = nil
			log = append(log, e)
		}
	}
}

// headOf is the head of a log, once its database is there.
func headOf(t *testing.T, url string) (head int64) {
	t.Helper()
	waitFor(t, func() bool {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			return false
		}
		defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
		return conn.QueryRow(t.Context(), `SELECT head FROM sequencer`).Scan(&head) == nil
	})
	return head
}

// wantStream fails unless the stream of an epoch holds what the log has from first on, each
// event once, at the sequence that is its idx, and nothing behind it.
func (c *natsCluster) wantStream(epoch int, first int64, log []event.Stored) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 15*time.Minute)
	defer cancel()
	found, err := c.stream.Stream(ctx, feed.StreamName(epoch))
	if err != nil {
		c.t.Fatal(err)
	}
	state, head := found.CachedInfo().State, int64(len(log))
	if state.FirstSeq != uint64(first) || state.LastSeq != uint64(head) || state.Msgs != uint64(head-first+1) || state.NumDeleted > 0 {
		c.t.Fatalf("the stream of epoch %d has %d messages from %d to %d, and %d were deleted; the log's are %d to %d",
			epoch, state.Msgs, state.FirstSeq, state.LastSeq, state.NumDeleted, first, head)
	}
	reader, err := found.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		c.t.Fatal(err)
	}
	messages, err := reader.Messages()
	if err != nil {
		c.t.Fatal(err)
	}
	defer messages.Stop()
	for _, want := range log[first-1:] {
		if !c.isMessage(ctx, messages, epoch, want) {
			return
		}
	}
}

// isMessage reports whether the next message is an event of the log.
func (c *natsCluster) isMessage(ctx context.Context, messages jetstream.MessagesContext, epoch int, want event.Stored) bool {
	c.t.Helper()
	sent, err := messages.Next(jetstream.NextContext(ctx))
	if err != nil {
		c.t.Errorf("idx %d: %v", want.Idx, err)
		return false
	}
	at, err := sent.Metadata()
	if err != nil {
		c.t.Fatal(err)
	}
	got, err := feed.Decode(sent.Subject(), sent.Headers(), sent.Data())
	expected := feed.Message{Epoch: epoch, Stored: want}
	if err != nil || at.Sequence.Stream != uint64(want.Idx) || !reflect.DeepEqual(expected, got) {
		c.t.Errorf("sequence %d holds (%v) what idx %d is not: %s", at.Sequence.Stream, err, want.Idx, cmp.Diff(expected, got))
		return false
	}
	return true
}

// follower reads the stream of an epoch from its beginning, for as long as it is not stopped.
type follower struct {
	stop func()

	mu  sync.Mutex
	ids []uuid.UUID             // of idx 1 and so on
	at  map[uuid.UUID]time.Time // when the first event of a stream came
	err error
}

func (c *natsCluster) follow(epoch int) *follower {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.t.Context()))
	f := &follower{at: map[uuid.UUID]time.Time{}}
	var reading sync.WaitGroup
	f.stop = sync.OnceFunc(func() { cancel(); reading.Wait() })
	c.t.Cleanup(f.stop)
	waitFor(c.t, func() bool { _, err := c.info(feed.StreamName(epoch)); return err == nil })
	found, err := c.stream.OrderedConsumer(ctx, feed.StreamName(epoch), jetstream.OrderedConsumerConfig{})
	if err != nil {
		c.t.Fatal(err)
	}
	messages, err := found.Messages()
	if err != nil {
		c.t.Fatal(err)
	}
	reading.Go(func() {
		defer messages.Stop()
		for ctx.Err() == nil && f.err == nil {
			sent, err := messages.Next(jetstream.NextContext(ctx))
			if err == nil {
				f.read(sent)
			} else if ctx.Err() == nil {
				c.t.Logf("the follower: %v", err)
			}
		}
	})
	return f
}

func (f *follower) read(sent jetstream.Msg) {
	now := time.Now()
	m, err := feed.Decode(sent.Subject(), sent.Headers(), sent.Data())
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil && m.Idx != int64(len(f.ids))+1 {
		err = fmt.Errorf("idx %d comes after idx %d", m.Idx, len(f.ids))
	}
	if f.err = err; err != nil {
		return
	}
	f.ids = append(f.ids, m.ID)
	if _, found := f.at[m.Stream.ID]; !found {
		f.at[m.Stream.ID] = now
	}
}

func (f *follower) idx() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return int64(len(f.ids))
}

// wantRead fails unless the follower has read each event of a log once and in order.
func (f *follower) wantRead(t *testing.T, log []event.Stored) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for f.idx() < int64(len(log)) && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
	}
	f.stop()
	if f.err != nil || len(f.ids) != len(log) {
		t.Errorf("the follower has read %d events of %d: %v", len(f.ids), len(log), f.err)
		return
	}
	for n, e := range log {
		if f.ids[n] != e.ID {
			t.Errorf("idx %d: the follower has read %s, and the log has %s", e.Idx, f.ids[n], e.ID)
			return
		}
	}
}
