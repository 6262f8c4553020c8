package webhooks_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
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
// recorded, beside what the signature alone takes on the same cores. One
// operation is one event, whether one destination is told of it or five.
func BenchmarkDelivery(b *testing.B) {
	b.Run("signature alone", benchmarkSignature)
	b.Run("one destination", func(b *testing.B) { benchmarkDelivery(b, 1) })
	b.Run("five destinations", func(b *testing.B) { benchmarkDelivery(b, 5) })
}

func benchmarkSignature(b *testing.B) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(b, err)
	digest := sha256.Sum256([]byte("webhook"))
	b.RunParallel(func(work *testing.PB) {
		for work.Next() {
			if _, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:]); err != nil {
				b.Error(err)
			}
		}
	})
}

func benchmarkDelivery(b *testing.B, destinations int) {
	c, received := newClinic(b), atomic.Int64{}
	all := make(chan struct{})
	r := newReceiver(b, func(s *httptest.Server) {
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			_, _ = io.Copy(io.Discard, request.Body)
			w.WriteHeader(http.StatusNoContent)
			if received.Add(1) == int64(b.N*destinations) {
				close(all)
			}
		})
	})
	for range destinations {
		c.application(r.URL, application.RecordOpened)
	}
	c.happen(b.N)
	c.fanOut()
	s := c.sender(webhooks.NewClient(loopback, trusted(r)))
	b.ResetTimer()
	begun := time.Now()
	stop := start(b, s)
	<-all
	stop()
	b.StopTimer()
	b.ReportMetric(float64(b.N*destinations)/time.Since(begun).Seconds(), "deliveries/s")
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
