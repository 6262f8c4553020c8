package app

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/broker"
	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/commands"
	"frontdesk/feed"
)

// A history that was lost stops the relay, and nothing else.
func TestAServiceServesWhenItsRelayHasStopped_D101(t *testing.T) {
	t.Parallel()
	s := brokertest.New(t)
	js := s.JetStream()
	_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: feed.StreamName(1), Subjects: []string{feed.Subjects(1)}, FirstSeq: 1000, DenyDelete: true, DenyPurge: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := make(logLines, 10)
	service, err := New(t.Context(), Config{
		DatabaseURL: postgrestest.New(t).URL, Listen: "127.0.0.1:0", APIDomain: "frontdesk.test", MasterKeys: sealing.NewRing(sealing.MasterKey{1}),
		Broker: broker.Server{URLs: []string{s.URL()}}, BrokerStreams: broker.Streams{Replicas: 1}, Log: slog.New(slog.NewTextHandler(lines, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	service.relay.Sure = time.Millisecond
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	defer stop()
	var running sync.WaitGroup
	running.Go(func() { _ = service.Run(ctx) })
	for line := ""; !strings.Contains(line, "relay to the broker stopped"); {
		select {
		case line = <-lines:
		case <-time.After(time.Minute):
			t.Fatal("the relay does not stop")
		}
	}
	if err := service.Desk.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: "elm-street", Name: "Elm Street"}); err != nil {
		t.Error(err)
	}
	metrics := httptest.NewRecorder()
	service.operations().ServeHTTP(metrics, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	if text, err := io.ReadAll(metrics.Body); err != nil || !strings.Contains(string(text), "frontdesk_relay_stopped 1") {
		t.Errorf("%v, the metrics say\n%s", err, text)
	}
	stop()
	running.Wait()
}

// logLines are lines of a log.
type logLines chan string

func (s logLines) Write(line []byte) (int, error) {
	select {
	case s <- string(line):
	default:
	}
	return len(line), nil
}
