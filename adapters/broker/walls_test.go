package broker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/broker"
	"frontdesk/feed"
)

// town is a log of two practices on the documented broker, and a follower of each.
type town struct {
	*documented
	ctx    context.Context
	relay  jetstream.JetStream
	admin  jetstream.JetStream
	stored map[int]int // events by epoch
}

const (
	ours   = "elm-street" // whose credentials are in bad hands
	theirs = "oak-lane"
	secret = "a secret" // in all events but ours
)

// newTown has a log of two epochs, and followers who have read nothing yet.
func newTown(t *testing.T, servers int) *town {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	w := &town{documented: newDocumented(t, servers), ctx: ctx, stored: map[int]int{}}
	w.relay, w.admin = w.stream("relay", "$JS.API"), w.stream("administrator", "$JS.API")
	w.make(jetstream.StreamConfig{Name: feed.EpochsStream, Subjects: []string{feed.EpochsSubject}, MaxMsgsPerSubject: 1, AllowDirect: true})
	w.publish(&nats.Msg{Subject: feed.EpochsSubject, Data: []byte(`[{"epoch":1,"first":1},{"epoch":2,"first":7}]`)})
	for epoch, first := range []uint64{1: 1, 2: 7} {
		if epoch > 0 {
			w.make(jetstream.StreamConfig{Name: feed.StreamName(epoch), Subjects: []string{feed.Subjects(epoch)}, FirstSeq: first, DenyPurge: true})
			w.happen(epoch)
		}
	}
	for _, f := range []broker.Follower{{Name: ours, Tenant: ours}, {Name: theirs, Tenant: theirs}, {Name: "everything"}} {
		epochs, err := broker.Grant(ctx, w.relay, f)
		w.must(err)
		if epochs != 2 {
			t.Fatalf("granted in %d epochs", epochs)
		}
	}
	return w
}

// make makes a stream, as soon as the servers have found each other.
func (w *town) make(config jetstream.StreamConfig) {
	w.t.Helper()
	config.DenyDelete, config.Replicas = true, len(w.servers)
	for {
		ctx, cancel := context.WithTimeout(w.ctx, time.Second) // nobody answers before there is a leader
		_, err := w.relay.CreateStream(ctx, config)
		cancel()
		if err == nil {
			return
		}
		if w.ctx.Err() != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *town) publish(msg *nats.Msg) {
	w.t.Helper()
	_, err := w.relay.PublishMsg(w.ctx, msg)
	w.must(err)
}

// happen is six more events of an epoch: of both practices, and of none.
func (w *town) happen(epoch int) {
	w.t.Helper()
	for _, tenant := range []string{ours, theirs, "", theirs, ours, theirs} {
		msg := nats.NewMsg(feed.Subject(epoch, tenant, "patient-request.submitted.v1"))
		msg.Data = []byte(map[bool]string{true: `{}`, false: `{"is":"` + secret + `"}`}[tenant == ours])
		w.publish(msg)
		w.stored[epoch]++
	}
}

// stream asks as a user, under the prefix that the API has for them.
func (w *town) stream(user, api string) jetstream.JetStream {
	w.t.Helper()
	js, err := jetstream.NewWithAPIPrefix(w.connect(user), api)
	w.must(err)
	return js
}

// read reads what a follower's consumer has of an epoch from an idx on.
func (w *town) read(js jetstream.JetStream, name string, epoch int, from uint64) (seen []jetstream.Msg) {
	w.t.Helper()
	_, err := js.ResetConsumerToSequence(w.ctx, feed.StreamName(epoch), name, from)
	w.must(err)
	consumer, err := js.Consumer(w.ctx, feed.StreamName(epoch), name)
	w.must(err)
	batch, err := consumer.Fetch(1000, jetstream.FetchMaxWait(500*time.Millisecond))
	w.must(err)
	for msg := range batch.Messages() {
		seen = append(seen, msg)
	}
	return seen
}

// numbers are those that the stream and the consumer give the messages.
func numbers(t *testing.T, seen []jetstream.Msg) (of, by []uint64) {
	t.Helper()
	for _, msg := range seen {
		is, err := msg.Metadata()
		if err != nil {
			t.Fatal(err)
		}
		of, by = append(of, is.Sequence.Stream), append(by, is.Sequence.Consumer)
	}
	return of, by
}

func TestAFollowerReadsItsPractice_D103(t *testing.T) {
	t.Parallel()
	for _, servers := range []int{1, 3} {
		w := newTown(t, servers)
		for user, want := range map[string][]uint64{ours: {7, 11}, "everything": {7, 8, 9, 10, 11, 12}} {
			js := w.stream(user, feed.API)
			for range 2 { // from the beginning, and again
				seen := w.read(js, user, 2, 1)
				if of, by := numbers(t, seen); !slices.Equal(of, want) || by[0] != 1 || by[len(by)-1] != uint64(len(want)) {
					t.Errorf("%s read %d as %d", user, of, by)
				}
				for _, msg := range seen {
					if user == ours && !strings.HasPrefix(msg.Subject(), "frontdesk.log.2.elm-street.") {
						t.Errorf("%s read %s", user, msg.Subject())
					}
				}
			}
			if of, _ := numbers(t, w.read(js, user, 2, 10)); of[0] < 10 {
				t.Errorf("%s went on at %d", user, of)
			}
			if of, _ := numbers(t, w.read(js, user, 1, 1)); of[0] != 1 {
				t.Errorf("%s began the first epoch at %d", user, of)
			}
			answer, err := w.connect(user).Request(feed.API+".DIRECT.GET.frontdesk-epochs.frontdesk.epochs", nil, 5*time.Second)
			if err != nil || !strings.Contains(string(answer.Data), `"epoch":2`) {
				t.Errorf("%s asked for the epochs: %v, %v", user, answer, err)
			}
		}
	}
}

// attacker is somebody who holds the credentials of one practice's follower, or who stands
// in the account of the log itself, to show that an attack is one.
type attacker struct {
	*town
	conn   *nats.Conn
	api    string // the prefix under which the API is theirs
	inside bool

	mu    sync.Mutex
	heard []*nats.Msg
}

func (w *town) attacker(inside bool) *attacker {
	w.t.Helper()
	a := &attacker{town: w, api: feed.API, inside: inside}
	user := ours
	if inside {
		user, a.api = "administrator", "$JS.API"
	}
	a.conn = w.connect(user, nats.CustomInboxPrefix("_INBOX_a"), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	a.listen("_INBOX_a.>")
	return a
}

// listen keeps what comes at a subject.
func (a *attacker) listen(subject string) {
	_, _ = a.conn.Subscribe(subject, a.hear) // a refusal is what we hope for
	_ = a.conn.Flush()
}

func (a *attacker) hear(msg *nats.Msg) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.heard = append(a.heard, msg)
}

// ask asks the API under both prefixes, and keeps whatever comes.
func (a *attacker) ask(subject, body string, headers ...string) {
	for _, prefix := range slices.Compact([]string{a.api, "$JS.API"}) {
		a.send(prefix+"."+subject, "_INBOX_a."+nats.NewInbox()[7:], body, headers...)
	}
}

func (a *attacker) send(subject, reply, body string, headers ...string) {
	msg := &nats.Msg{Subject: subject, Reply: reply, Data: []byte(body), Header: nats.Header{}}
	for n := 0; n+1 < len(headers); n += 2 {
		msg.Header.Set(headers[n], headers[n+1])
	}
	_ = a.conn.PublishMsg(msg)
}

// rest lets everything arrive.
func (a *attacker) rest() {
	a.t.Helper()
	a.must(a.conn.Flush())
	time.Sleep(250 * time.Millisecond)
	a.must(a.conn.Flush())
}

// learned returns what the attacker was told that is none of their business.
func (a *attacker) learned() (all []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, msg := range a.heard {
		if told(msg) {
			all = append(all, fmt.Sprintf("%s %s %v %s", msg.Subject, msg.Reply, msg.Header, msg.Data))
		}
	}
	return all
}

// told reports whether a message is an event of others, or an answer of the API that is not
// about our own consumer. What the attacker has said comes back sometimes, and does not count.
func told(msg *nats.Msg) bool {
	body := string(msg.Data)
	if strings.Contains(body, `"type":"io.nats.jetstream`) {
		return !strings.Contains(body, `"error":`) && !strings.Contains(body, `"name":"elm-street"`)
	}
	return strings.Contains(body, secret) || strings.Contains(msg.Header.Get("Nats-Subject"), theirs) && msg.Header.Get("Status") == ""
}

// state is what the administrator sees of streams and consumers, but for our own.
func (w *town) state() (all []string) {
	w.t.Helper()
	streams := w.admin.ListStreams(w.ctx)
	for info := range streams.Info() {
		info.State.Consumers, info.TimeStamp = 0, time.Time{}
		all = append(all, w.said(info.Config, info.State, info.Cluster))
		stream, err := w.admin.Stream(w.ctx, info.Config.Name)
		w.must(err)
		consumers := stream.ListConsumers(w.ctx)
		for info := range consumers.Info() {
			if info.Name != ours {
				all = append(all, w.said(info.Stream, info.Name, info.Config, info.Delivered, info.AckFloor, info.NumPending, info.NumWaiting, info.Paused))
			} else {
				all = append(all, w.said(info.Stream, info.Config))
			}
		}
		w.must(consumers.Err())
	}
	w.must(streams.Err())
	epochs, err := w.admin.Stream(w.ctx, feed.EpochsStream)
	if err == nil {
		msg, err := epochs.GetLastMsgForSubject(w.ctx, feed.EpochsSubject)
		w.must(err)
		all = append(all, string(msg.Data))
	}
	slices.Sort(all)
	return all
}

func (w *town) said(values ...any) string {
	w.t.Helper()
	text, err := json.Marshal(values)
	w.must(err)
	return string(text)
}

// harm returns what an attack has done, in words.
func (w *town) harm(inside bool, attack attack) (all []string) {
	w.t.Helper()
	a, before := w.attacker(inside), w.state()
	attack.do(a)
	a.rest()
	all = a.learned()
	if after := w.state(); !attack.lively && !slices.Equal(before, after) {
		all = append(all, fmt.Sprintf("before\n%s\nafter\n%s", strings.Join(before, "\n"), strings.Join(after, "\n")))
	}
	return all
}

// Whatever the holder of a practice's credentials tries, they learn nothing of others and
// change nothing. Each attack does harm in the log's own account, or is one that NATS
// closes anyway.
func TestAFollowersCredentialsDoNothingElse_D103(t *testing.T) {
	t.Parallel()
	for name, attack := range attacks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, harm := range newTown(t, 1).harm(false, attack) {
				t.Errorf("it does harm: %s", harm)
			}
			if inside := newTown(t, 1).harm(true, attack); len(inside) == 0 && !attack.harmless {
				t.Error("even in the log's account nothing happens, so nothing is shown")
			}
		})
	}
}

// An operator looks at streams and consumers, and changes nothing.
func TestAnOperatorLooks_D103(t *testing.T) {
	t.Parallel()
	w := newTown(t, 1)
	conn, before := w.connect("operator"), w.state()
	js, err := jetstream.NewWithAPIPrefix(conn, feed.API)
	w.must(err)
	looked := 0
	streams := js.ListStreams(w.ctx)
	for info := range streams.Info() {
		stream, err := js.Stream(w.ctx, info.Config.Name)
		w.must(err)
		consumers := stream.ListConsumers(w.ctx)
		for range consumers.Info() {
			looked++
		}
		w.must(consumers.Err())
	}
	if w.must(streams.Err()); looked != 6 {
		t.Errorf("%d consumers are shown", looked)
	}
	for _, order := range orders() {
		w.must(conn.PublishRequest(order, nats.NewInbox(), nil))
		w.must(conn.PublishRequest(feed.API+".STREAM.LIST", order, nil))
		w.must(conn.PublishRequest(feed.API+".CONSUMER.INFO."+log1+".nobody", order, nil))
	}
	w.must(conn.Flush())
	if after := w.state(); !slices.Equal(before, after) {
		t.Errorf("before %s\nafter %s", before, after)
	}
}
