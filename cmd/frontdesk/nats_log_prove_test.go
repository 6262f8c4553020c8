//go:build prove

package main_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/postgres/eventstore"
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
		page, err := eventstore.Log{DB: pool}.Rows(t.Context(), int64(len(log)))
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

// wantStream fails unless the stream of an epoch holds the log's events from first on, each
// once, at the sequence that is its idx, and nothing behind them.
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
	before := map[string]int64{} // idx of each practice's last event
	for _, want := range log[first-1:] {
		if !c.isMessage(ctx, messages, epoch, want, before[want.Stream.Tenant]) {
			return
		}
		before[want.Stream.Tenant] = want.Idx
	}
}

// isMessage reports whether the next message is an event of the log, with the preceding event
// of its practice. A relay that was overtaken may know only an earlier one.
func (c *natsCluster) isMessage(ctx context.Context, messages jetstream.MessagesContext, epoch int, want event.Stored, before int64) bool {
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
	expected := feed.Message{Epoch: epoch, Stored: want, Before: min(got.Before, before)}
	if err != nil || at.Sequence.Stream != uint64(want.Idx) || !reflect.DeepEqual(expected, got) {
		c.t.Errorf("sequence %d (%v) differs from idx %d: %s", at.Sequence.Stream, err, want.Idx, cmp.Diff(expected, got))
		return false
	}
	return true
}
