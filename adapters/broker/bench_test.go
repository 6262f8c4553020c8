package broker_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/broker"
	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/clock"
	"frontdesk/domain/event"
	"frontdesk/feed"
)

const benched = 50_000 // events of a turn

// BenchmarkRelay compares the relay with a client that only publishes as many bytes to
// the same servers, without a condition, and waits for all acknowledgements. The
// servers are in the same process. The log is in memory: the speed of Postgres is
// another matter.
func BenchmarkRelay(b *testing.B) {
	for servers, replicas := range map[int]int{1: 1, 3: 3} {
		b.Run(fmt.Sprintf("servers=%d", servers), func(b *testing.B) {
			s := brokertest.New(b)
			if servers > 1 {
				s = brokertest.Cluster(b, servers)[0]
			}
			js, log := s.JetStream(), newLog(0)
			log.change(func() {
				for range benched {
					log.append(event.Stored{Name: "patient-request.submitted.v1", Data: bytes.Repeat([]byte("1"), 300)})
				}
			})
			size := feed.Encode(feed.Message{Epoch: 1, Stored: log.events[0]}).Size()
			benchtest.Comparison{
				Ratio: "of-bare",
				Floor: benchtest.Rate{
					Unit: "bare/s", Prepare: func() { fresh(b, js, "bare", replicas) }, Turn: func() benchtest.Work { return bare(b, s, size) },
				},
				Rate: benchtest.Rate{
					Unit: "events/s", Prepare: func() { fresh(b, js, "", 0) }, Turn: func() benchtest.Work { return relayAll(b, s, log, replicas) },
				},
			}.Run(b)
		})
	}
}

// fresh removes the result of the turn before, and makes a stream.
func fresh(b *testing.B, js jetstream.JetStream, name string, replicas int) {
	b.Helper()
	for _, old := range []string{"bare", feed.StreamName(1), feed.EpochsStream} {
		_ = js.DeleteStream(b.Context(), old)
	}
	if name == "" {
		return
	}
	if _, err := js.CreateStream(b.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{name}, Replicas: replicas}); err != nil {
		b.Fatal(err)
	}
}

// bare publishes messages of a size.
func bare(b *testing.B, s *brokertest.Server, size int) benchtest.Work {
	b.Helper()
	conn, err := nats.Connect(s.URL())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn, jetstream.WithPublishAsyncMaxPending(4096), jetstream.WithPublishAsyncErrHandler(
		func(_ jetstream.JetStream, _ *nats.Msg, err error) { b.Error(err) }))
	if err != nil {
		b.Fatal(err)
	}
	body, begun := []byte(strings.Repeat("1", size)), clock.Start()
	for range benched {
		if _, err := js.PublishMsgAsync(&nats.Msg{Subject: "bare", Data: body}, jetstream.WithStallWait(time.Minute)); err != nil {
			b.Fatal(err)
		}
	}
	<-js.PublishAsyncComplete()
	return benchtest.Work{Done: benched, Took: begun.Elapsed()}
}

// relayAll relays a log into a stream that is not there yet.
func relayAll(b *testing.B, s *brokertest.Server, log *fakeLog, replicas int) benchtest.Work {
	b.Helper()
	registry := prometheus.NewRegistry()
	r := &broker.Relay{
		Server: broker.Server{URLs: []string{s.URL()}}, Streams: broker.Streams{Replicas: replicas}, Source: log,
		Metrics: broker.NewMetrics(registry), Log: slog.New(slog.DiscardHandler),
	}
	ctx, stop := context.WithCancel(b.Context())
	ended, begun := make(chan error, 1), clock.Start()
	go func() { ended <- r.Run(ctx) }()
	for looks := time.NewTicker(time.Millisecond); ; <-looks.C {
		if gauge(b, registry, "frontdesk_relay_idx") == benched {
			break
		}
	}
	took := begun.Elapsed()
	stop()
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
	return benchtest.Work{Done: benched, Took: took}
}
