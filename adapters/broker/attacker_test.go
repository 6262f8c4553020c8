package broker_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"frontdesk/feed"
)

// attacker has the credentials of one practice's follower, or is in the account of the
// log itself, to show that an attack works there.
type attacker struct {
	*town
	conn   *nats.Conn
	api    string // its prefix of the API
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

// listen records the messages on a subject.
func (a *attacker) listen(subject string) {
	_, _ = a.conn.Subscribe(subject, a.hear) // a refusal is the expected result
	_ = a.conn.Flush()
}

func (a *attacker) hear(msg *nats.Msg) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.heard = append(a.heard, msg)
}

// ask calls the API under both prefixes, and records all replies.
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

// learned returns what the attacker received without the right to it.
func (a *attacker) learned() (all []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, msg := range a.heard {
		if leaks(msg) {
			all = append(all, fmt.Sprintf("%s %s %v %s", msg.Subject, msg.Reply, msg.Header, msg.Data))
		}
	}
	return all
}

// leaks reports whether a message is an event of others, or an answer of the API that is
// not about the attacker's own consumer. The attacker's own messages sometimes come
// back, and do not count.
func leaks(msg *nats.Msg) bool {
	body := string(msg.Data)
	if strings.Contains(body, `"type":"io.nats.jetstream`) {
		return !strings.Contains(body, `"error":`) && !strings.Contains(body, `"name":"elm-street"`)
	}
	return strings.Contains(body, secret) || strings.Contains(msg.Header.Get("Nats-Subject"), theirs) && msg.Header.Get("Status") == ""
}

// state is the administrator's view of streams and consumers, without the attacker's
// own. Each error is part of it: a stream may be half deleted while it is read.
func (w *town) state() (all []string) {
	w.t.Helper()
	failed := func(err error) bool {
		if err != nil {
			all = append(all, err.Error())
		}
		return err != nil
	}
	streams := w.admin.ListStreams(w.ctx)
	for info := range streams.Info() {
		info.State.Consumers, info.TimeStamp = 0, time.Time{}
		all = append(all, w.digest(info.Config, info.State, info.Cluster))
		stream, err := w.admin.Stream(w.ctx, info.Config.Name)
		if failed(err) {
			continue
		}
		consumers := stream.ListConsumers(w.ctx)
		for info := range consumers.Info() {
			if info.Name != ours {
				all = append(all, w.digest(info.Stream, info.Name, info.Config, info.Delivered, info.AckFloor, info.NumPending, info.NumWaiting, info.Paused))
			} else {
				all = append(all, w.digest(info.Stream, info.Config))
			}
		}
		failed(consumers.Err())
	}
	failed(streams.Err())
	if epochs, err := w.admin.Stream(w.ctx, feed.EpochsStream); !failed(err) {
		if msg, err := epochs.GetLastMsgForSubject(w.ctx, feed.EpochsSubject); !failed(err) {
			all = append(all, string(msg.Data))
		}
	}
	slices.Sort(all)
	return all
}

func (w *town) digest(values ...any) string {
	w.t.Helper()
	text, err := json.Marshal(values)
	w.must(err)
	return string(text)
}

// harm returns the effects of an attack, in words.
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
