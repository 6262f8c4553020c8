package feed_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/feed"
)

func TestFollowerGetsEventsOnceInOrder_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.addMany(2500)
	f := follow(t, s.URL(), feed.Config{})
	f.wants(w.log)
	w.add(3)
	f.wants(w.log)
}

func TestFollowerResumesAfterItsPlace_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(30)
	f := follow(t, s.URL(), feed.Config{Practice: "elm-street"})
	f.wants(w.of("elm-street"))
	f.stop()
	w.add(30)
	f.start()
	f.wants(w.of("elm-street"))
	late := &follower{t: t, at: feed.Place{Epoch: 1, Idx: 41}}
	late.connect(s.URL())
	late.start()
	late.wants(w.log[41:])
}

func TestUnacknowledgedEventComesAgain_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(5)
	tries, asked := 0, []feed.Place{}
	f := &follower{t: t, handle: func(m feed.Message) error {
		if asked = append(asked, m.Place()); m.Idx == 3 && tries < 2 {
			tries++
			return errors.New("not now")
		}
		return nil
	}}
	f.connect(s.URL())
	f.start()
	f.wants(w.log)
	f.stop()
	if len(asked) != 7 || asked[2] != asked[3] || asked[3] != asked[4] {
		t.Errorf("handed over: %v", asked)
	}
	if said := f.said.String(); strings.Count(said, "1:3") == 0 || strings.Contains(said, "healthConcern") {
		t.Errorf("it says %s", said)
	}
}

// A follower that has stored an event, but not acknowledged it, does not receive it again.
func TestStoredEventDoesNotComeAgain_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(5)
	f := &follower{t: t}
	f.handle = func(m feed.Message) error {
		if m.Idx != 3 {
			return nil
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.kept, f.at = append(f.kept, m), m.Place()
		return errors.New("kept, but something failed afterwards")
	}
	f.connect(s.URL())
	f.start()
	f.wants(w.log)
}

func TestReadOfPlaceIsRetried_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(1)
	f := &follower{t: t}
	f.connect(s.URL())
	tries := 0
	sub, err := feed.NewSubscriber(feed.Config{Conn: f.conn, Name: "everything", API: "$JS.API", After: func(context.Context) (feed.Place, error) {
		if tries++; tries < 3 {
			return feed.Place{}, errors.New("the store is away")
		}
		return feed.Place{}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := sub.Subscribe(t.Context(), feed.Topic)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := feed.Read(<-messages); err != nil || m.Idx != 1 || tries != 3 {
		t.Errorf("%+v after %d tries, %v", m, tries, err)
	}
	if err := sub.Close(); err != nil || sub.Err() != nil {
		t.Error(err, sub.Err())
	}
}

func TestFollowerMayChooseEvents_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(3)
	w.addOf("elm-street", unlike)
	w.addOf("mill-lane", unlike)
	w.add(3)
	f := follow(t, s.URL(), feed.Config{Practice: "elm-street", Events: []string{unlike.EventName()}})
	f.wants(w.log[3:4])
	// It learns that there are no more events for it up to the end.
	clocktest.Eventually(t, func() bool { f.mu.Lock(); defer f.mu.Unlock(); return f.passed == feed.Place{Epoch: 1, Idx: 8} }, "idx 8 to be passed; %s", f.said)
	w.addOf("elm-street", unlike)
	f.wants(append(w.log[3:4:4], w.log[8]))
}

func TestWatermillsRouterFollows_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	w.add(20)
	f := &follower{t: t}
	f.connect(s.URL())
	sub, err := feed.NewSubscriber(feed.Config{Conn: f.conn, API: "$JS.API", After: f.place, Practice: "mill-lane"})
	if err != nil {
		t.Fatal(err)
	}
	router, err := message.NewRouter(message.RouterConfig{}, watermill.NopLogger{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	router.AddConsumerHandler("follow", feed.Topic, sub, func(msg *message.Message) error {
		m, err := feed.Read(msg)
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.kept, f.at = append(f.kept, m), m.Place(); len(f.kept) == 10 {
			cancel()
		}
		return err
	})
	f.ended = make(chan struct{})
	if err := router.Run(ctx); err != nil {
		t.Error(err)
	}
	f.wants(w.of("mill-lane"))
}

func TestSubscriberRefusesBadConfig_D102(t *testing.T) {
	t.Parallel()
	_, s := onOne(t)
	conn := (&follower{t: t})
	conn.connect(s.URL())
	after := func(context.Context) (feed.Place, error) { return feed.Place{}, nil }
	for name, c := range map[string]struct {
		config feed.Config
		says   error
	}{
		"no connection":  {feed.Config{After: after}, nil},
		"no name":        {feed.Config{Conn: conn.conn, After: after}, nil},
		"no place":       {feed.Config{Conn: conn.conn}, nil},
		"a wild name":    {feed.Config{Conn: conn.conn, After: after, Name: "elm.*"}, nil},
		"a wild tenant":  {feed.Config{Conn: conn.conn, After: after, Name: "everything", Practice: "*"}, practice.ErrInvalidTenant},
		"nobody's event": {feed.Config{Conn: conn.conn, After: after, Name: "everything", Events: []string{"patient-request.submitted"}}, event.ErrUnknownName},
	} {
		if _, err := feed.NewSubscriber(c.config); err == nil || c.says != nil && !errors.Is(err, c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	sub, err := feed.NewSubscriber(feed.Config{Conn: conn.conn, After: after, Name: "everything"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sub.Subscribe(t.Context(), "frontdesk.log.1.>"); err == nil {
		t.Error("another topic was taken")
	}
	if err := sub.Close(); err != nil {
		t.Error(err)
	}
	if _, err := sub.Subscribe(t.Context(), feed.Topic); err == nil {
		t.Error("a closed subscriber follows")
	}
}

func TestEndReturnsLastPlace_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	f := &follower{t: t}
	f.connect(s.URL())
	wants := func(want feed.Place) {
		t.Helper()
		if got, err := feed.End(t.Context(), feed.Config{Conn: f.conn, API: "$JS.API", Practice: "elm-street"}); err != nil || got != want {
			t.Errorf("the end is %s, %v, and not %s", got, err, want)
		}
	}
	wants(feed.Place{Epoch: 1})
	w.add(8)
	wants(feed.Place{Epoch: 1, Idx: 7}) // the last one is another practice's
	w.begin(2, 6)
	wants(feed.Place{Epoch: 2, Idx: 5})
}

func TestPlaceAsText_D102(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]feed.Place{"1:42": {Epoch: 1, Idx: 42}, "0:0": {}, "": {Epoch: -1}, "42": {Epoch: -1}, "1:": {Epoch: -1}, "1:42x": {Epoch: -1}, "1:-2": {Epoch: -1}, "01:2": {Epoch: -1}} {
		var got feed.Place
		err := got.UnmarshalText([]byte(text))
		if (err != nil) != (want.Epoch < 0) || err == nil && got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
}

func TestSlowFollowerBuffersLittle_D102(t *testing.T) {
	t.Parallel()
	w, s := onOne(t)
	large := unlike
	large.Name = strings.Repeat("x", 1<<20)
	for range 12 {
		w.addOf("elm-street", large)
	}
	held := make(chan struct{})
	f := &follower{t: t, config: feed.Config{InFlight: 1 << 20}, handle: func(feed.Message) error { <-held; return nil }}
	f.connect(s.URL())
	f.start()
	delivered := func() uint64 {
		c, err := w.js.Consumer(t.Context(), feed.StreamName(1), "everything")
		if err != nil {
			return 0
		}
		return c.CachedInfo().Delivered.Consumer
	}
	clocktest.Eventually(t, func() bool { return delivered() > 0 }, "a delivery; %s", f.said)
	time.Sleep(300 * time.Millisecond) // in which all of them would come
	if n := delivered(); n > 9 {       // as much as the largest message may have: 8 MiB
		t.Errorf("%d messages of a megabyte wait for a slow follower", n)
	}
	close(held)
	f.wants(w.log)
}
