package integrate_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/broker"
	"frontdesk/adapters/broker/brokertest"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/domain/event"
	"frontdesk/feed"
)

// published puts events of a practice into a broker, and lets it be followed.
func published(t *testing.T, names ...string) *brokertest.Server {
	t.Helper()
	server := brokertest.New(t)
	js := server.JetStream()
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: feed.EpochsStream, Subjects: []string{feed.EpochsSubject}, AllowDirect: true}))
	must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: feed.StreamName(1), Subjects: []string{feed.Subjects(1)}}))
	must(js.PublishMsg(t.Context(), &nats.Msg{Subject: feed.EpochsSubject, Data: []byte(`[{"epoch":1,"first":1}]`)}))
	must(broker.Grant(t.Context(), js, broker.Follower{Name: "elm-street", Tenant: "elm-street"}))
	for n, name := range names {
		must(js.PublishMsg(t.Context(), feed.Encode(feed.Message{Epoch: 1, Stored: event.Stored{
			Idx: int64(n) + 1, ID: event.NewID(), Stream: event.Stream{Tenant: "elm-street", ID: event.NewID()}, Version: 1, Name: name,
			At: time.Date(2026, 11, 23, 9, 0, n, 0, time.UTC), Data: []byte(`{"name":"Elm\u009b","timeZone":"Europe/London"}`), Metadata: []byte(`{"actor":{"kind":"service","id":"frontdesk"}}`),
		}})))
	}
	return server
}

func TestTheFeedIsFollowed_D102(t *testing.T) {
	t.Parallel()
	server := published(t, "practice.registered.v1", "practice.registered.v1", "practice.reopened.v1")
	follow := func(args ...string) clitest.Outcome {
		return clitest.Frontdesk(t, append([]string{"feed", "follow", "--nats", server.URL(), "--nats-api", "$JS.API", "--tenant", "elm-street"}, args...)...)
	}
	places := func(o clitest.Outcome) (found []string) {
		for line := range strings.Lines(o.Out) {
			var e struct{ Place, Name, Practice, Time string }
			if err := json.Unmarshal([]byte(line), &e); err != nil || e.Practice != "elm-street" {
				t.Errorf("%q: %v", line, err)
			}
			found = append(found, e.Place)
		}
		return found
	}
	all := follow("--from-start", "--count", "2")
	if got := places(all); !slices.Equal(got, []string{"1:1", "1:2"}) || !strings.Contains(all.Err, "--after 1:2 goes on") || strings.Contains(all.Out, "\u009b") {
		t.Errorf("printed %s %s", all.Out, all.Err)
	}
	if got := places(follow("--after", "1:1", "--count", "1", "--event", "practice.registered")); !slices.Equal(got, []string{"1:2"}) {
		t.Errorf("printed %s", got)
	}
	follow("--event", "practice.registerd").WantFailure(t, 1, `no event "practice.registerd"`)
	follow("--after", "7").WantFailure(t, 2, "write its epoch and its idx")
	follow("--after", "1:2", "--from-start").WantFailure(t, 2, "can't be used together")
	follow("--tenant", "oak-lane").WantFailure(t, 1, "frontdesk feed grant")
	follow("--nats", "http://127.0.0.1:1").WantFailure(t, 1, "nats://broker-1:4222")
}

func TestUnknownEventEndsFollowing_D102(t *testing.T) {
	t.Parallel()
	server := published(t, "practice.registered.v1", "practice.moved.v9")
	stopped := clitest.Frontdesk(t, "feed", "follow", "--nats", server.URL(), "--nats-api", "$JS.API", "--tenant", "elm-street", "--from-start")
	if stopped.Status != 1 || !strings.Contains(stopped.Err, `unknown event name "practice.moved.v9"`) || !strings.Contains(stopped.Err, "--after 1:1 goes on") {
		t.Errorf("it ended with %d: %s", stopped.Status, stopped.Err)
	}
}
