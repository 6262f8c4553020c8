package feed_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/domain/event"
	"frontdesk/feed"
)

func TestLostEventsStopFollower_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(20)
	f := follow(t, s.URL(), feed.Config{})
	f.wants(w.log)
	w.begin(2, 16)
	w.add(1)
	var lost *feed.LostError
	if err := f.stopped(); !errors.As(err, &lost) || lost.From != 16 || lost.At != (feed.Place{Epoch: 1, Idx: 20}) || lost.Now != (feed.Epoch{Epoch: 2, First: 16}) {
		t.Errorf("it was stopped by %v", err)
	}
	f.mu.Lock()
	f.kept, f.at = nil, feed.Place{}
	f.mu.Unlock()
	f.start()
	f.wants(w.log)
}

// The broker has deleted the events from 1 up to 20.
func (w *world) forget(t *testing.T) {
	t.Helper()
	stream, err := w.js.Stream(t.Context(), feed.StreamName(1))
	if err == nil {
		err = stream.Purge(t.Context(), jetstream.WithPurgeSequence(21))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestMissingEventsStopFollower_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(30)
	w.forget(t)
	for _, config := range []feed.Config{{}, {Practice: "elm-street"}, {Practice: "mill-lane"}} {
		f := &follower{t: t, config: config, at: feed.Place{Epoch: 1, Idx: 9}}
		f.connect(s.URL())
		f.start()
		var gone *feed.GoneError
		if err := f.stopped(); !errors.As(err, &gone) || gone.Next != (feed.Place{Epoch: 1, Idx: 10}) || gone.Has < 21 || gone.Has > 22 {
			t.Errorf("%+v: it was stopped by %v", config, err)
		}
		if len(f.has()) > 0 {
			t.Errorf("%+v: %d events were handed over", config, len(f.has()))
		}
		f.at = feed.Place{Epoch: 1, Idx: 20}
		f.start()
		clocktest.Eventually(t, func() bool { return len(f.has()) >= 5 }, "5 events; %s", f.said)
		f.stop()
	}
}

func TestUnreadableEventStopsFollower_D102(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*feed.Message, *nats.Msg)
		says   string
		is     error
	}{
		"a newer program's event": {change: func(m *feed.Message, msg *nats.Msg) { m.Name = "practice.moved.v9"; *msg = *feed.Encode(*m) }, is: event.ErrUnknownName},
		"no JSON":                 {change: func(_ *feed.Message, msg *nats.Msg) { msg.Data = []byte("{") }, says: "read the message"},
		"no headers":              {change: func(_ *feed.Message, msg *nats.Msg) { msg.Header = nil }, says: "header"},
		"another idx":             {change: func(m *feed.Message, msg *nats.Msg) { m.Idx = 77; *msg = *feed.Encode(*m) }, says: "says it is at 1:77"},
		"data of another shape":   {change: func(m *feed.Message, msg *nats.Msg) { m.Data = []byte(`{"patient":7}`); *msg = *feed.Encode(*m) }, says: "decode"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := onOne(t)
			w.add(4)
			m := w.next("elm-street", someRequest())
			msg := feed.Encode(m)
			c.change(&m, msg)
			w.publish(msg)
			f := follow(t, s.URL(), feed.Config{Practice: "elm-street"})
			if err := f.stopped(); err == nil || !strings.Contains(err.Error(), c.says) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("it was stopped by %v", err)
			}
			f.wants(w.of("elm-street"))
		})
	}
}

func TestFollowerReportsMissingGrant_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(2)
	f := follow(t, s.URL(), feed.Config{Practice: "oak-lane"})
	f.waitForLog("frontdesk feed grant")
	f = follow(t, s.URL(), feed.Config{Practice: "oak-lane", Name: "elm-street"})
	if err := f.stopped(); err == nil || !strings.Contains(err.Error(), "was granted the events published at frontdesk.log.1.elm-street.>") {
		t.Errorf("it was stopped by %v", err)
	}
	f = follow(t, s.URL(), feed.Config{Practice: "mill-lane", Name: "everything"})
	f.wants(w.of("mill-lane"))
}

func TestClosedConnectionStopsFollower_D102(t *testing.T) {
	t.Parallel()
	_, s := onOne(t)
	f := follow(t, s.URL(), feed.Config{})
	f.conn.Close()
	if err := f.stopped(); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("it was stopped by %v", err)
	}
}
