package webhooks_test

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
)

// BenchmarkDelivery measures deliveries per second, each event signed once, posted over
// TLS and recorded on a Postgres that flushes. It compares them with the signatures
// alone on the same cores.
func BenchmarkDelivery(b *testing.B) {
	for _, destinations := range []int{1, 5} {
		b.Run(fmt.Sprintf("destinations=%d", destinations), func(b *testing.B) { compareDeliveries(b, destinations) })
	}
}

func compareDeliveries(b *testing.B, destinations int) {
	b.Helper()
	const events = 600
	server, r := postgrestest.Cluster(b), newCounter(b)
	c := clinicOn(b, server.URL("frontdesk", postgres.AppRole))
	c.found()
	admin, err := postgres.NewPool(b.Context(), server.URL("frontdesk", embedded.Superuser), 1)
	must(b, err)
	b.Cleanup(admin.Close)
	for range destinations {
		c.application(r.URL, application.RecordOpened)
	}
	client := webhooks.NewClient(loopback, trusted(r.receiver))
	happen := func() {
		c.happen(events)
		c.fanOut()
	}
	tell := func() benchtest.Work {
		deliveries := events * destinations
		took := r.timeOf(deliveries, func() (stop func()) { return start(b, c.sender(client)) })
		return benchtest.Work{Done: float64(deliveries), Took: took}
	}
	benchtest.Comparison{
		Ratio:   "deliveries-of-signatures",
		Floor:   benchtest.Rate{Unit: "signatures/s", Turn: signatures(b)},
		Rate:    benchtest.Rate{Unit: "deliveries/s", Prepare: happen, Turn: tell},
		Cluster: benchtest.ClusterOf(b, admin),
	}.Run(b)
}

// signatures counts the signatures per second on otherwise idle cores.
func signatures(b *testing.B) func() benchtest.Work {
	b.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(b, err)
	digest := sha256.Sum256([]byte("webhook"))
	return func() benchtest.Work {
		return benchtest.During(b, runtime.GOMAXPROCS(0), 400*time.Millisecond, func(context.Context) error {
			_, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
			return err
		})
	}
}

// counter is a receiver that signals when it has received a given number.
type counter struct {
	*receiver
	left chan struct{}
}

func newCounter(b *testing.B) *counter {
	c := &counter{left: make(chan struct{}, 1<<12)}
	c.receiver = newReceiver(b, func(s *httptest.Server) {
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			_, _ = io.Copy(io.Discard, request.Body)
			w.WriteHeader(http.StatusNoContent)
			c.left <- struct{}{}
		})
	})
	return c
}

// timeOf returns the time from the start until n deliveries have arrived.
func (c *counter) timeOf(n int, start func() (stop func())) time.Duration {
	begun := clock.Start()
	stop := start()
	for range n {
		<-c.left
	}
	took := begun.Elapsed()
	stop()
	return took
}

// happen opens n records, of as many patients, by a member of staff.
func (c *clinic) happen(n int) {
	c.t.Helper()
	by := c.by(event.Actor{Kind: event.ByStaff, ID: c.member.String()})
	for n > 0 {
		var changes []event.Change
		for range min(n, 100) {
			changes = append(changes, event.Change{
				Stream: event.Stream{Tenant: tenant, ID: uuid.New()},
				Events: []event.Event{record.CareRecordOpened{Patient: patient.ID{UUID: uuid.New()}}},
			})
		}
		n -= len(changes)
		_, err := c.store.Append(by, changes...)
		must(c.t, err)
	}
}
