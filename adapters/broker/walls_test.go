package broker_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/feed"
)

const (
	ours   = "elm-street" // whose credentials are stolen
	theirs = "oak-lane"
	secret = "a secret" // in all events but ours
)

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

// With a practice's credentials, an attacker learns nothing about others and changes
// nothing. Each attack does harm in the log's own account, or is one that NATS prevents
// anyway.
func TestFollowerHasNoOtherRights_D103(t *testing.T) {
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

// An operator can view streams and consumers, and change nothing.
func TestOperatorCanInspectStreams_D103(t *testing.T) {
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
