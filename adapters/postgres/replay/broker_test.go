package replay_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/background"
	"frontdesk/adapters/broker"
	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/replay"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/feed"
	"frontdesk/projections"
)

// A follower that reads the broker from the first event, without keys, builds the same
// read models as the database, row by row, except staff and answers.
func TestBrokerStreamRebuildsReadModels_D103(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.live(t, 500)
	s.askErasure(t, s.tenants[0], s.patients[s.tenants[0]][0])
	s.follow(t)
	_, err := eventstore.NewSequencer(s.owner, nil, nil, nil).DeclareEpoch(t.Context(), 0, "The volume was put back.", event.Operator("owner", "anna@desk7"))
	if err != nil {
		t.Fatal(err)
	}
	s.live(t, 200)
	s.follow(t)
	copied := s.relayed(t)

	if epochs := copied.epochs(); len(epochs) != 2 {
		t.Fatalf("the broker knows of %v", epochs)
	}
	result := run(t, s.shadow(t, copied.next))
	wantSame(t, result)
	if !slices.Equal(result.NotCompared, []string{projections.Staff{}.Name(), projections.IdempotentResponses{}.Name()}) {
		t.Errorf("not compared: %v", result.NotCompared)
	}

	copied.change = func(m *feed.Message) { // one message, on its way
		if m.Name == (practice.Registered{}).EventName() && m.Stream.Tenant == s.tenants[1] {
			m.Data = bytes.Replace(m.Data, []byte(`"oak-lane"`), []byte(`"Elsewhere"`), 1)
		}
	}
	changed := run(t, s.shadow(t, copied.next)).Differences
	if len(changed) != 1 || changed[0].Table != "practices" || changed[0].Missing != 1 || !strings.Contains(changed[0].Keys[0], "oak-lane") {
		t.Errorf("a message that was changed makes the differences %+v", changed)
	}
}

// shadow is a rebuild without keys that reads a copy of the log.
func (s *surgery) shadow(t *testing.T, next func(context.Context, int64) ([]event.Recorded, error)) *replay.Rebuild {
	t.Helper()
	r := s.rebuild()
	r.Keys, r.Fresh = s.keyring(t, sealing.MasterKey{}), true
	return r.From(next)
}

// relayed is the log in the broker.
type relayed struct {
	t      *testing.T
	js     jetstream.JetStream
	codec  *event.Codec
	change func(*feed.Message) // in transit; nil for none
}

// relayed relays the log to a broker, and waits until all of it is there.
func (s *surgery) relayed(t *testing.T) *relayed {
	t.Helper()
	server := brokertest.New(t)
	ctx, stop := context.WithCancel(t.Context())
	relay := &broker.Relay{
		Server: broker.Server{URLs: []string{server.URL()}}, Streams: broker.Streams{Replicas: 1}, Source: source{s.log()}, Log: slog.New(slog.DiscardHandler),
	}
	ended := make(chan error, 1)
	go func() { ended <- relay.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	r := &relayed{t: t, js: server.JetStream(), codec: s.codec}
	head, err := s.log().Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for r.last() < head {
		time.Sleep(10 * time.Millisecond)
		if t.Context().Err() != nil {
			t.Fatal("the relay does not come to the end of the log")
		}
	}
	return r
}

// last is the idx up to which the broker holds the log.
func (r *relayed) last() int64 {
	all := r.epochs()
	if len(all) == 0 {
		return 0
	}
	stream, err := r.js.Stream(r.t.Context(), feed.StreamName(all[len(all)-1].Epoch))
	if err != nil {
		return 0
	}
	return int64(stream.CachedInfo().State.LastSeq)
}

// epochs are the broker's epochs; none until it has them.
func (r *relayed) epochs() (all feed.Epochs) {
	stream, err := r.js.Stream(r.t.Context(), feed.EpochsStream)
	if err != nil {
		return nil
	}
	msg, err := stream.GetLastMsgForSubject(r.t.Context(), feed.EpochsSubject)
	if err != nil {
		return nil
	}
	if err := jsonv2.Unmarshal(msg.Data, &all); err != nil {
		r.t.Fatal(err)
	}
	return all
}

// next is the page after an idx, from the stream of its epoch.
func (r *relayed) next(ctx context.Context, idx int64) (page []event.Recorded, err error) {
	all := r.epochs()
	epoch := all.Holding(idx + 1).Epoch
	stream, err := r.js.Stream(ctx, feed.StreamName(epoch))
	if err != nil {
		return nil, err
	}
	last := int64(stream.CachedInfo().State.LastSeq)
	if end, over := all.End(epoch); over {
		last = end
	}
	for next := idx + 1; next <= min(last, idx+100); next++ {
		msg, err := stream.GetMsg(ctx, uint64(next))
		if err != nil {
			return nil, err
		}
		m, err := feed.Decode(msg.Subject, msg.Header, msg.Data)
		if err != nil {
			return nil, err
		}
		if r.change != nil {
			r.change(&m)
		}
		e, err := r.codec.Join(m.Stored, nil)
		if err != nil {
			return nil, err
		}
		page = append(page, e)
	}
	return page, nil
}

// source shows the log to a relay.
type source struct{ log eventstore.Log }

func (s source) Look(ctx context.Context) (look broker.Look, err error) {
	state, err := s.log.State(ctx)
	if err != nil {
		return look, err
	}
	begun, err := s.log.Beginnings(ctx)
	look.Head, look.Epochs = state.Head, feed.Epochs{{Epoch: 1, First: 1}}
	for _, b := range begun {
		look.Epochs = append(look.Epochs, feed.Epoch{Epoch: b.Epoch, First: b.Idx})
	}
	return look, err
}

func (s source) Page(ctx context.Context, after int64, most int) (broker.Page, error) {
	now, err := s.log.Moment(ctx, after, most, 1<<20)
	return broker.Page(now), err
}

func (s source) Rest(ctx context.Context) { background.Sleep(ctx, 10*time.Millisecond) }
