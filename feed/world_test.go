package feed_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/broker"
	"frontdesk/adapters/broker/brokertest"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/feed"
)

// world is a broker that holds a log, as a relay fills it.
type world struct {
	tb       testing.TB
	js       jetstream.JetStream
	replicas int
	epochs   feed.Epochs
	log      []feed.Message // as it is now
	present  int
	maxAge   time.Duration
}

// onOne returns a world on a server of its own, in epoch 1.
func onOne(t *testing.T) (*world, *brokertest.Server) {
	t.Helper()
	s := brokertest.New(t)
	return newWorld(t, s, 1), s
}

func newWorld(tb testing.TB, s *brokertest.Server, replicas int) *world {
	tb.Helper()
	w := &world{tb: tb, js: s.JetStream(), replicas: replicas}
	_, err := w.js.CreateStream(tb.Context(), jetstream.StreamConfig{
		Name: feed.EpochsStream, Subjects: []string{feed.EpochsSubject}, MaxMsgsPerSubject: 1, AllowDirect: true, Replicas: replicas,
	})
	if err != nil {
		tb.Fatal(err)
	}
	w.begin(1, 1)
	w.grant("elm-street", "elm-street")
	w.grant("mill-lane", "mill-lane")
	w.grant("everything", "")
	return w
}

func (w *world) grant(name, tenant string) {
	w.tb.Helper()
	if _, err := broker.Grant(w.tb.Context(), w.js, broker.Follower{Name: name, Tenant: tenant}); err != nil {
		w.tb.Fatal(err)
	}
}

// begin starts an epoch at an idx. The log loses its events from there on.
func (w *world) begin(epoch int, first int64) {
	w.tb.Helper()
	w.epochs = slices.DeleteFunc(w.epochs, func(e feed.Epoch) bool { return e.First >= first })
	w.epochs = append(w.epochs, feed.Epoch{Epoch: epoch, First: first})
	w.log = w.log[:first-1]
	_, err := w.js.CreateStream(w.tb.Context(), jetstream.StreamConfig{
		Name: feed.StreamName(epoch), Subjects: []string{feed.Subjects(epoch)}, Replicas: w.replicas, FirstSeq: uint64(first), MaxAge: w.maxAge, Duplicates: 100 * time.Millisecond,
	})
	if err == nil && w.present > 0 {
		err = broker.Carry(w.tb.Context(), w.js, w.present, epoch)
	}
	if err != nil {
		w.tb.Fatal(err)
	}
	w.present = epoch
	body, err := json.Marshal(w.epochs)
	if err != nil {
		w.tb.Fatal(err)
	}
	w.publish(&nats.Msg{Subject: feed.EpochsSubject, Data: body})
}

func (w *world) publish(msg *nats.Msg) {
	w.tb.Helper()
	for n := 0; ; n++ {
		_, err := w.js.PublishMsg(w.tb.Context(), msg)
		if err == nil {
			return
		}
		if n == 100 || !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, jetstream.ErrNoStreamResponse) {
			w.tb.Fatal(err)
		}
	}
}

// next returns the next event without adding it.
func (w *world) next(tenant string, e event.Event) feed.Message {
	w.tb.Helper()
	codec, err := event.NewCodec(e)
	if err != nil {
		w.tb.Fatal(err)
	}
	stored, err := codec.Clear(event.Recorded{
		Event: e, Idx: int64(len(w.log)) + 1, ID: event.NewID(), Stream: event.Stream{Tenant: tenant, ID: event.NewID()}, Version: 1,
		At: time.Date(2026, 11, 23, 9, 0, len(w.log), 0, time.UTC), Metadata: event.Metadata{Actor: event.Service("frontdesk")},
	})
	if err != nil {
		w.tb.Fatal(err)
	}
	m := feed.Message{Epoch: w.present, Stored: stored}
	for n := len(w.log) - 1; n >= 0 && m.Before == 0; n-- {
		if w.log[n].Stream.Tenant == tenant {
			m.Before = w.log[n].Idx
		}
	}
	return m
}

// add adds events of two practices in turn.
func (w *world) add(count int) {
	w.tb.Helper()
	for range count {
		w.addOf([]string{"elm-street", "mill-lane"}[len(w.log)%2], someRequest())
	}
}

// addMany does so without waiting for each.
func (w *world) addMany(count int) {
	w.tb.Helper()
	for n := range count {
		w.log = append(w.log, w.next([]string{"elm-street", "mill-lane"}[n%2], someRequest()))
		if _, err := w.js.PublishMsgAsync(feed.Encode(w.log[len(w.log)-1])); err != nil {
			w.tb.Fatal(err)
		}
	}
	<-w.js.PublishAsyncComplete()
}

func (w *world) addOf(tenant string, e event.Event) {
	w.tb.Helper()
	m := w.next(tenant, e)
	w.log = append(w.log, m)
	w.publish(feed.Encode(m))
}

func someRequest() request.Submitted {
	return request.Submitted{
		Patient: patient.ID{UUID: event.NewID()}, Type: request.Medical, Requester: request.ByPatient,
		Response: []request.Answer{{Question: "healthConcern", Answer: event.Hidden}},
	}
}

var unlike = practice.Registered{Name: "Elm Street", TimeZone: "Europe/London"}

// of returns a practice's part of the log.
func (w *world) of(tenant string) (part []feed.Message) {
	for _, m := range w.log {
		if m.Stream.Tenant == tenant {
			part = append(part, m)
		}
	}
	return part
}

type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
