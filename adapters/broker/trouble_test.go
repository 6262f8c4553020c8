package broker_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/broker"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/domain/event"
	"frontdesk/feed"
)

// An unavailable broker is logged once, however often the relay retries, and the relay
// continues each time it returns.
func TestRelayWaitsForBroker_D101(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	s.Stop()
	log := newLog(3000)
	r := relay(t, s.URL(), log, nil)
	r.wantLog("the broker is away")
	s.Start()
	holds(t, js, log, first, 3000)
	r.wantLog("relayed to the broker again")
	for end := int64(4000); end <= 6000; end += 1000 {
		s.Stop()
		log.add(1000)
		s.Start()
		holds(t, js, log, first, end)
	}
	if logged := strings.Count(r.logged.String(), "the broker is away"); logged > 1 {
		t.Errorf("it says %d times that the broker is away: %s", logged, r.logged)
	}
}

// A broker that was killed has acknowledged messages whose acknowledgements were lost.
func TestLostAcknowledgementsAreFound_D101(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	log := newLog(12_000)
	log.onPage = func(pages int) {
		if pages == 5 || pages == 12 {
			s.Stop()
			s.Start()
		}
	}
	relay(t, s.URL(), log, nil)
	holds(t, js, log, first, 12_000)
}

func TestRelayRefillsEmptyBroker_D101(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	log := newLog(200)
	relay(t, s.URL(), log, nil)
	holds(t, js, log, first, 200)
	s.Stop()
	s.Forget()
	s.Start()
	log.add(1)
	holds(t, js, log, first, 201)
	wantEpochs(t, js, feed.Epochs{first})
}

// Nothing is relayed of an unencrypted log, of a standby, or while the database is
// unavailable.
func TestRelayWaitsForLog_D101(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]struct{ do, undo func(*fakeLog) }{
		"this server is a standby": {func(l *fakeLog) { l.wait = "this server is a standby" }, func(l *fakeLog) { l.wait = "" }},
		"connection refused":       {func(l *fakeLog) { l.fails = errors.New("connection refused") }, func(l *fakeLog) { l.fails = nil }},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			s, js := server(t)
			log := newLog(10)
			change.do(log)
			r := relay(t, s.URL(), log, nil)
			r.wantLog(says)
			if stream, err := js.Stream(t.Context(), feed.StreamName(1)); err == nil && stream.CachedInfo().State.LastSeq > 0 {
				t.Error("something is relayed")
			}
			log.change(func() { change.undo(log) })
			holds(t, js, log, first, 10)
		})
	}
}

func TestRelayReportsUnfitStream_D101(t *testing.T) {
	t.Parallel()
	good := jetstream.StreamConfig{Name: feed.StreamName(1), Subjects: []string{feed.Subjects(1)}, DenyDelete: true, DenyPurge: true}
	for says, change := range map[string]func(*jetstream.StreamConfig){
		"it listens to":                          func(c *jetstream.StreamConfig) { c.Subjects = []string{"frontdesk.log.1.elm-street.>"} },
		"subjects overlap":                       func(c *jetstream.StreamConfig) { c.Name = "other" },
		"messages may be deleted":                func(c *jetstream.StreamConfig) { c.DenyPurge = false },
		"it has to store to files":               func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage },
		"it takes messages of":                   func(c *jetstream.StreamConfig) { c.MaxMsgSize = 1000 },
		"it keeps 1 messages of each":            func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 1 },
		"begins at idx 5 and epoch 1 of the log": func(c *jetstream.StreamConfig) { c.FirstSeq = 5 },
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			s, js := server(t)
			config := good
			change(&config)
			if _, err := js.CreateStream(t.Context(), config); err != nil {
				t.Fatal(err)
			}
			log := newLog(10)
			r := relay(t, s.URL(), log, func(r *broker.Relay) { r.Sure = time.Hour })
			r.wantLog(says)
			if err := js.DeleteStream(t.Context(), config.Name); err != nil {
				t.Fatal(err)
			}
			holds(t, js, log, first, 10)
		})
	}
}

func TestRelayReportsTooFewReplicas_D101(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	log := newLog(10)
	relay(t, s.URL(), log, nil)
	holds(t, js, log, first, 10)
	relay(t, s.URL(), log, func(r *broker.Relay) { r.Streams.Replicas = 3 }).wantLog("--replicas=3")
}

// An event over the broker's maximum payload is logged, before it comes and when it
// comes.
func TestBrokerMustTakeEveryEvent_D101(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	s.Stop()
	s.Change(func(o *natsserver.Options) { o.MaxPayload = 1 << 20 })
	s.Start()
	log := newLog(10)
	r := relay(t, s.URL(), log, nil)
	r.wantLog("set max_payload: 8MB")
	s.Stop()
	s.Change(func(o *natsserver.Options) { o.MaxPayload = broker.MaxPayload })
	s.Start()
	holds(t, js, log, first, 10)
	log.change(func() {
		log.append(event.Stored{Name: "patient-request.submitted.v1", Data: bytes.Repeat([]byte("1"), broker.MaxPayload-1000)})
		log.append(event.Stored{Name: "patient-request.submitted.v1", Data: bytes.Repeat([]byte("1"), broker.MaxPayload)})
	})
	r.wantLog("the event of idx 12 makes a message of")
	holds(t, js, log, first, 11)
}

// Sequence numbers stay when messages expire, so the relay continues after the expired
// ones.
func TestRetentionKeepsTheNumbers_D101(t *testing.T) {
	t.Parallel()
	s, js := server(t)
	log := newLog(30)
	short := func(r *broker.Relay) { r.Streams.Retention = 200 * time.Millisecond }
	r := relay(t, s.URL(), log, short)
	empty := func() any {
		stream, err := js.Stream(t.Context(), feed.StreamName(1))
		if err != nil {
			return err
		}
		return stream.CachedInfo().State
	}
	clocktest.Eventually(t, func() bool {
		state, is := empty().(jetstream.StreamState)
		return is && state.Msgs == 0 && state.LastSeq == 30
	}, "all events to be too old; the stream is %v", clocktest.Lazy(empty))
	r.stop()
	log.add(5)
	relay(t, s.URL(), log, short)
	ends(t, js, first, 35)
}
