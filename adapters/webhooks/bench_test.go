package webhooks_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
)

// BenchmarkDelivery is events told per second, each signed, posted over TLS and
// recorded, beside what the signature alone takes on the same cores. They take
// turns, so that a machine's moods meet both alike; ratios are medians of those
// of neighbours.
func BenchmarkDelivery(b *testing.B) {
	for _, destinations := range []int{1, 5} {
		b.Run(fmt.Sprintf("destinations=%d", destinations), func(b *testing.B) { compareDeliveries(b, destinations) })
	}
}

func compareDeliveries(b *testing.B, destinations int) {
	b.Helper()
	const turns, events = 9, 600
	c, r := newClinic(b), newCounter(b)
	for range destinations {
		c.application(r.URL, application.RecordOpened)
	}
	client := webhooks.NewClient(loopback, trusted(r.receiver))
	var signs, told, ratios []float64
	for range turns {
		sign := signatures(b, 400*time.Millisecond)
		c.happen(events)
		c.fanOut()
		tell := events / r.timeOf(events*destinations, func() (stop func()) { return start(b, c.sender(client)) }).Seconds()
		signs, told, ratios = append(signs, sign), append(told, tell), append(ratios, tell*float64(destinations)/sign)
	}
	b.ReportMetric(median(signs), "signatures/s")
	b.ReportMetric(median(told), "events/s")
	b.ReportMetric(median(told)*float64(destinations), "deliveries/s")
	b.ReportMetric(median(ratios), "deliveries-of-signatures")
	b.ReportMetric(0, "ns/op")
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// signatures is how many the cores make in a second, when they do nothing else.
func signatures(b *testing.B, during time.Duration) (perSecond float64) {
	b.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(b, err)
	digest := sha256.Sum256([]byte("webhook"))
	var group sync.WaitGroup
	var done atomic.Int64
	begun := time.Now()
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for ; time.Since(begun) < during; done.Add(1) {
				if _, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:]); err != nil {
					b.Error(err)
				}
			}
		})
	}
	group.Wait()
	return float64(done.Load()) / time.Since(begun).Seconds()
}

// counter is a receiver that says when it has received so many.
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

// timeOf is how long after the start n deliveries have arrived.
func (c *counter) timeOf(n int, start func() (stop func())) time.Duration {
	begun := time.Now()
	stop := start()
	for range n {
		<-c.left
	}
	took := time.Since(begun)
	stop()
	return took
}

// happen lets n records be opened, of as many patients, by a member of staff.
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
