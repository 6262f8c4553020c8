package webhooks_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
)

// BenchmarkCommitToReceipt measures the time from an append's commit to the receipt of
// the webhook, at a hundred events a second.
func BenchmarkCommitToReceipt(b *testing.B) {
	arrivals := &arrivals{at: map[uuid.UUID]time.Time{}, some: make(chan struct{}, 1)}
	c, r := newClinic(b), newReceiver(b, func(s *httptest.Server) { s.Config.Handler = arrivals })
	c.application(r.URL, application.RecordOpened)
	appended, grown, queued := &background.Broadcast{}, &background.Broadcast{}, &background.Broadcast{}
	c.store.Appended = appended
	handler := c.fanOutHandler()
	handler.Queued = queued
	s := c.sender(webhooks.NewClient(loopback, trusted(r)))
	s.Queued = queued
	runUntilCleanup(b, eventstore.NewSequencer(c.pool, appended, grown, s.Log).Run)
	runUntilCleanup(b, c.consumer(handler, grown).Run)
	runUntilCleanup(b, s.Run)

	committed := map[uuid.UUID]time.Time{}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	b.ResetTimer()
	for range b.N {
		<-tick.C
		recorded, err := c.store.Append(b.Context(), event.Change{
			Stream: event.Stream{Tenant: tenant, ID: uuid.New()},
			Events: []event.Event{record.CareRecordOpened{Patient: patient.ID{UUID: uuid.New()}}},
		})
		must(b, err)
		committed[recorded[0].ID] = clock.System()
	}
	arrivals.wait(b, b.N)
	b.StopTimer()
	var took []time.Duration
	for id, at := range committed {
		took = append(took, arrivals.at[id].Sub(at))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// arrivals is a receiver that records each event's arrival.
type arrivals struct {
	mu   sync.Mutex
	at   map[uuid.UUID]time.Time
	some chan struct{}
}

func (a *arrivals) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	now := clock.System()
	token, _ := io.ReadAll(request.Body)
	payload, _ := base64.RawURLEncoding.DecodeString(strings.Split(string(token), ".")[1])
	var claims struct {
		ID uuid.UUID `json:"jti"`
	}
	_ = json.Unmarshal(payload, &claims)
	a.mu.Lock()
	a.at[claims.ID] = now
	a.mu.Unlock()
	select {
	case a.some <- struct{}{}:
	default:
	}
	w.WriteHeader(http.StatusNoContent)
}

// wait waits until n events have come.
func (a *arrivals) wait(t testing.TB, n int) {
	t.Helper()
	for limit := time.After(patience); ; {
		a.mu.Lock()
		come := len(a.at)
		a.mu.Unlock()
		if come == n {
			return
		}
		select {
		case <-a.some:
		case <-limit:
			t.Fatalf("%d of %d events have come", come, n)
		}
	}
}
