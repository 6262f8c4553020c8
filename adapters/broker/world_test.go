package broker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/broker"
	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/feed"
)

// logged collects the log.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *logged) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(line)
}

func (s *logged) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// running is a running relay.
type running struct {
	t        *testing.T
	relay    *broker.Relay
	logged   *logged
	registry *prometheus.Registry
	stop     context.CancelFunc
	ended    chan error
}

// relay runs a relay until the test is over.
func relay(t *testing.T, url string, log broker.Source, change func(*broker.Relay)) *running {
	t.Helper()
	r := &running{t: t, logged: &logged{}, registry: prometheus.NewRegistry(), ended: make(chan error, 1)}
	r.relay = &broker.Relay{
		Server: broker.Server{URLs: []string{url}}, Streams: broker.Streams{Replicas: 1}, Source: log, Metrics: broker.NewMetrics(r.registry),
		Log: slog.New(slog.NewTextHandler(r.logged, nil)), Sure: time.Millisecond,
	}
	if change != nil {
		change(r.relay)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	r.stop = func() { stop(); <-done }
	go func() {
		defer close(done)
		r.ended <- r.relay.Run(ctx)
	}()
	t.Cleanup(r.stop)
	return r
}

// wantLog waits until something was logged.
func (r *running) wantLog(text string) {
	r.t.Helper()
	clocktest.Eventually(r.t, func() bool { return strings.Contains(r.logged.String(), text) }, "%q; the relay said %v", text, r.logged)
}

// lost waits until the relay has stopped, and checks the reason.
func (r *running) lost(texts ...string) {
	r.t.Helper()
	select {
	case err := <-r.ended:
		for _, text := range texts {
			if err == nil || !strings.Contains(err.Error(), text) {
				r.t.Errorf("it ended with %v, want %q", err, text)
			}
		}
		if r.metric("frontdesk_relay_stopped") != 1 {
			r.t.Error("the metric does not say that it has stopped")
		}
	case <-time.After(patience):
		r.t.Fatalf("it goes on, and said %s", r.logged)
	}
}

func (r *running) metric(name string) float64 {
	r.t.Helper()
	return gauge(r.t, r.registry, name)
}

// at returns the relay's reported idx.
func (r *running) at() clocktest.Lazy {
	return func() any { return r.metric("frontdesk_relay_idx") }
}

func gauge(tb testing.TB, registry *prometheus.Registry, name string) float64 {
	tb.Helper()
	all, err := registry.Gather()
	if err != nil {
		tb.Fatal(err)
	}
	for _, family := range all {
		if family.GetName() == name {
			return family.GetMetric()[0].GetGauge().GetValue()
		}
	}
	tb.Fatalf("there is no metric %s", name)
	return 0
}

const patience = 2 * time.Minute

// ends waits until the stream of an epoch ends at an idx.
func ends(t *testing.T, js jetstream.JetStream, e feed.Epoch, end int64) {
	t.Helper()
	last := func() any {
		stream, err := js.Stream(t.Context(), feed.StreamName(e.Epoch))
		if err != nil {
			return err
		}
		return int64(stream.CachedInfo().State.LastSeq)
	}
	clocktest.Eventually(t, func() bool { return last() == end }, "%s to end at %d; it ends at %v", feed.StreamName(e.Epoch), end, clocktest.Lazy(last))
}

// holds waits until the stream of an epoch ends at an idx, and checks that it holds the
// log's events, each at its idx, from the epoch's first one on.
func holds(t *testing.T, js jetstream.JetStream, log *fakeLog, e feed.Epoch, end int64) {
	t.Helper()
	ends(t, js, e, end)
	found := read(t, js, e, end)
	log.mu.Lock()
	defer log.mu.Unlock()
	for _, m := range found {
		if want := log.events[m.Idx-1]; m.ID != want.ID || m.Epoch != e.Epoch || m.Name != want.Name {
			t.Fatalf("at idx %d is %+v, want %+v", m.Idx, m, want)
		}
	}
	if int64(len(found)) != end-e.First+1 {
		t.Fatalf("%v has %d events from idx %d to %d", e, len(found), e.First, end)
	}
}

// read reads the stream of an epoch, and checks that each sequence is the idx.
func read(t *testing.T, js jetstream.JetStream, e feed.Epoch, end int64) (all []feed.Message) {
	t.Helper()
	consumer, err := js.OrderedConsumer(t.Context(), feed.StreamName(e.Epoch), jetstream.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := consumer.Messages()
	if err != nil {
		t.Fatal(err)
	}
	defer messages.Stop()
	for idx := e.First; idx <= end; idx++ {
		msg, err := messages.Next(jetstream.NextMaxWait(patience))
		if err != nil {
			t.Fatalf("idx %d: %v", idx, err)
		}
		m, err := feed.Decode(msg.Subject(), msg.Headers(), msg.Data())
		if err != nil {
			t.Fatal(err)
		}
		meta, err := msg.Metadata()
		if err != nil || int64(meta.Sequence.Stream) != m.Idx || m.Idx != idx {
			t.Fatalf("sequence %v of idx %d, want %d; %v", meta, m.Idx, idx, err)
		}
		if bytes.Contains(whole(msg.Subject(), msg.Headers(), msg.Data()), []byte("Ann")) {
			t.Fatalf("idx %d says the name of a patient", idx)
		}
		all = append(all, m)
	}
	return all
}

// whole is a message as bytes.
func whole(subject string, header nats.Header, body []byte) []byte {
	return fmt.Append(nil, subject, header, string(body))
}

// wantEpochs waits until the broker has these epochs.
func wantEpochs(t *testing.T, js jetstream.JetStream, want feed.Epochs) {
	t.Helper()
	now := func() any {
		stream, err := js.Stream(t.Context(), feed.EpochsStream)
		if err != nil {
			return err
		}
		msg, err := stream.GetLastMsgForSubject(t.Context(), feed.EpochsSubject)
		if err != nil {
			return err
		}
		var epochs feed.Epochs
		if err := json.Unmarshal(msg.Data, &epochs); err != nil {
			t.Fatal(err)
		}
		return epochs
	}
	clocktest.Eventually(t, func() bool {
		epochs, is := now().(feed.Epochs)
		return is && slices.Equal(epochs, want)
	}, "the epochs %v; they are %v", want, clocktest.Lazy(now))
}

func server(t *testing.T) (*brokertest.Server, jetstream.JetStream) {
	t.Helper()
	s := brokertest.New(t)
	js := s.JetStream()
	return s, js
}
