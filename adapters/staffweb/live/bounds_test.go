package live_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/staffweb/live"
	"frontdesk/domain/request"
)

func TestFifthStreamEndsOldestOfSession_D87(t *testing.T) {
	t.Parallel()
	inHall(t, func(h hall) {
		var streams []*browser
		for range 5 {
			streams = append(streams, h.listen("a", 0, inbox))
		}
		other := h.listen("b", 0, inbox)
		if !streams[0].isOver() {
			t.Error("five streams go on")
		}
		h.wantHeard(streams[0], "event: many id: 0 data: {}")
		h.log.append(elm, request.Submitted{})
		for _, b := range append(streams[1:], other) {
			h.wantHeard(b, submitted(1))
		}
		streams[4].bye()
		synctest.Wait()
		h.listen("a", 0, inbox)
		if streams[1].isOver() {
			t.Error("four streams are one too many")
		}
	})
}

func TestStreamsAreLimitedPerUser_D87(t *testing.T) {
	t.Parallel()
	inHall(t, func(h hall) {
		streams := map[string]int{}
		for _, tenant := range []string{elm, oak, "ash-way"} {
			for {
				_, err := h.tryListen(h.t.Context(), live.Subscription{Tenant: tenant, Holder: fmt.Sprint(tenant, streams[tenant]), Topics: []live.Topic{inbox}}, nil)
				if errors.Is(err, live.ErrFull) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				streams[tenant]++
			}
		}
		if streams[elm] != 501 || streams[oak] == 0 || streams["ash-way"] == 0 || streams[elm]+streams[oak]+streams["ash-way"] > 1000 {
			t.Errorf("%v", streams)
		}
	})
}

func TestHeartbeatChecksAccess_D87(t *testing.T) {
	t.Parallel()
	inHall(t, func(h hall) {
		var asked atomic.Int64
		var may, away atomic.Bool
		may.Store(true)
		still := func(context.Context) (bool, error) {
			asked.Add(1)
			if away.Load() {
				return true, errors.New("no database")
			}
			return may.Load(), nil
		}
		listen := func() *browser {

			b, err := h.tryListen(h.t.Context(), live.Subscription{Tenant: elm, Holder: "a", Topics: []live.Topic{inbox}}, still)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		h.log.append(elm, request.Submitted{})
		first := listen()
		time.Sleep(41 * time.Second)
		h.wantHeard(first, "event: beat id: 1 data: {}", "event: beat id: 1 data: {}")
		if asked.Load() != 2 {
			t.Errorf("asked %d times", asked.Load())
		}
		away.Store(true)
		time.Sleep(20 * time.Second)
		h.wantHeard(first)
		if !first.isOver() {
			t.Error("nobody knows whether it may listen, and it goes on")
		}
		away.Store(false)
		second := listen()
		may.Store(false)
		time.Sleep(21 * time.Second)
		h.wantHeard(second, "event: ended id: 1 data: {}")
		if !second.isOver() {
			t.Error("it may not listen, and goes on")
		}
	})
}

func TestStreamReportsLateReadModels_D87(t *testing.T) {
	t.Parallel()
	inHall(t, func(h hall) {
		h.log.hold(1)
		h.log.append(elm, request.Submitted{})
		b := h.listen("a", 0, inbox)
		time.Sleep(21 * time.Second)
		h.wantHeard(b, "event: beat id: 1 data: {}")
		h.log.append(elm, request.Submitted{}, request.Submitted{})
		time.Sleep(20 * time.Second)
		h.wantHeard(b, "event: late id: 1 data: {}")
		h.log.hold(0)
		time.Sleep(20 * time.Second)
		h.wantHeard(b, submitted(2), submitted(3), "event: beat id: 3 data: {}")
	})
}

func TestCloseEndsAndRefusesStreams_D87(t *testing.T) {
	t.Parallel()
	inHall(t, func(h hall) {
		first, second := h.listen("a", 0, inbox), h.listen("b", 0, inbox)
		h.Close()
		h.Close()
		if !first.isOver() || !second.isOver() {
			t.Error("a stream goes on")
		}
		if _, err := h.Join(h.t.Context(), live.Subscription{Tenant: elm}); !errors.Is(err, live.ErrStopping) {
			t.Errorf("joined: %v", err)
		}
	})
}

func TestNoPollingWithoutListeners_D87(t *testing.T) {
	t.Parallel()
	inHall(t, func(h hall) {
		h.log.append(elm, request.Submitted{})
		time.Sleep(time.Minute)
		if looks := h.log.looked(); looks != 0 {
			t.Errorf("%d looks", looks)
		}
		if since, err := h.Since(h.t.Context()); since != 7 || err != nil {
			t.Errorf("since %d, %v", since, err)
		}
		b := h.listen("a", 0, inbox)
		if since, err := h.Since(h.t.Context()); since != 1 || err != nil {
			t.Errorf("since %d, %v", since, err)
		}
		b.mu.Lock()
		b.gone = true
		b.mu.Unlock()
		h.log.append(elm, request.Submitted{})
		if !b.isOver() {
			t.Error("the browser is gone, and its stream goes on")
		}
		time.Sleep(2 * time.Second)
		looks := h.log.looked()
		h.log.append(elm, request.Submitted{})
		time.Sleep(time.Minute)
		if more := h.log.looked() - looks; more != 0 {
			t.Errorf("%d looks more", more)
		}
	})
}
