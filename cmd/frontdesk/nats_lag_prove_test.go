//go:build prove

package main_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/testworld"
)

var laggedAppends = provetest.Pick(200, 1500)

const lagPause = 5 * time.Millisecond

// lagging is a service that is idle except for the test's appends, with its log on three
// servers.
type lagging struct {
	*trial
	nats    *natsCluster
	service *replica
}

// newLagging makes the service relay its own log, or leaves that to others.
func newLagging(t *testing.T, servers *natsCluster, relays bool) *lagging {
	t.Helper()
	dir := t.TempDir()
	l := &lagging{nats: servers, trial: &trial{t: t, data: filepath.Join(dir, "postgres"), client: http.DefaultClient}}
	l.startPostgres(dir)
	l.onboard()
	args := serveArgs(t, l.postgres.URL("frontdesk", postgres.AppRole))
	if relays {
		args = append(args, l.nats.flags()...)
	}
	l.service = &replica{t: t, place: freePlace(t), args: args}
	t.Cleanup(func() { l.service.stop() })
	l.service.start(testworld.Binary(t))
	l.url = "http://" + l.service.place.public
	return l
}

// TestProveHowLongAnEventTakesToItsFollowers measures, while idle, the time from a call's
// answer to a follower of three servers that flush every message. It also measures how long
// the servers take to acknowledge a message of that size. Both are reported.
func TestProveHowLongAnEventTakesToItsFollowers_D104(t *testing.T) { //nolint:paralleltest // it measures
	for _, way := range []struct {
		name    string
		serving bool
	}{{"by serve --nats", true}, {"by frontdesk relay", false}} {
		t.Run(way.name, func(t *testing.T) {
			l := newLagging(t, newNATS(t, t.TempDir()), way.serving)
			if !way.serving {
				relay := &daemon{t: t, args: l.nats.relays(l.postgres)}
				relay.start(testworld.Binary(t))
				t.Cleanup(relay.kill)
			}
			follower := l.nats.follow()
			lags := l.lags(follower)
			floor := l.nats.acknowledged()
			provetest.Tried(t, len(lags), "events followed")
			t.Logf("%s: p50 %.1f ms, p99 %.1f ms from the commit to a follower, of %d calls; the servers alone acknowledge within p50 %.1f ms, p99 %.1f ms; load %s", way.name,
				benchtest.Quantile(lags, 0.5), benchtest.Quantile(lags, 0.99), len(lags), benchtest.Quantile(floor, 0.5), benchtest.Quantile(floor, 0.99), load())
		})
	}
}

// lags appends one event after the other, and returns the milliseconds that each took to
// arrive.
func (l *lagging) lags(follower *follower) (lags []float64) {
	l.t.Helper()
	committed := map[uuid.UUID]time.Time{}
	for range laggedAppends {
		committed[l.submitted()] = clock.System()
		time.Sleep(lagPause)
	}
	for id, at := range committed {
		var came time.Time
		waitFor(l.t, func() bool {
			follower.mu.Lock()
			defer follower.mu.Unlock()
			came = follower.at[id]
			return !came.IsZero()
		})
		lags = append(lags, max(0, came.Sub(at).Seconds()*1000))
	}
	return lags
}

// submitted submits a patient request, and returns its stream.
func (l *lagging) submitted() uuid.UUID {
	l.t.Helper()
	r, err := l.request(l.t.Context(), http.MethodPost, "create-patient-request", strings.NewReader(l.submission()+"}"))
	l.must(err)
	r.Host = "elm-street.example.com"
	response, err := l.client.Do(r)
	l.must(err)
	defer response.Body.Close()
	var made struct{ PatientRequestID uuid.UUID }
	l.must(json.NewDecoder(response.Body).Decode(&made))
	if response.StatusCode != http.StatusOK {
		l.t.Fatalf("answered %d", response.StatusCode)
	}
	return made.PatientRequestID
}

// acknowledged publishes one message after the other, and returns the milliseconds that each
// acknowledgement took.
func (c *natsCluster) acknowledged() (took []float64) {
	c.t.Helper()
	ctx := c.t.Context()
	_, err := c.stream.CreateStream(ctx, jetstream.StreamConfig{Name: benchStream, Subjects: []string{benchSubject}, Replicas: len(c.servers)})
	if err != nil {
		c.t.Fatal(err)
	}
	for range laggedAppends {
		begun := clock.Start()
		if _, err := c.stream.PublishMsg(ctx, &nats.Msg{Subject: benchSubject, Data: make([]byte, 700)}); err != nil {
			c.t.Fatal(err)
		}
		took = append(took, begun.Elapsed().Seconds()*1000)
		time.Sleep(lagPause)
	}
	return took
}
