//go:build prove

package webhooks_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/provetest"
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
)

const (
	healthyOnes = 40
	spoilt      = 10 // of these, half never answer and half refuse
	eventsEach  = 10 // a second
)

var loadFor = provetest.Pick(5*time.Second, 20*time.Second)

// TestProveDeadReceiversDelayNoOthers_D32 sends ten events a second to 50
// destinations, first with all of them healthy and then with ten dead. It prints how
// long deliveries to the healthy ones waited, and the same for one pool of 64 workers
// for all destinations.
func TestProveDeadReceiversDelayNoOthers_D32(t *testing.T) { //nolint:paralleltest // it measures
	lanes := func(c *clinic, client *http.Client, queued *background.Broadcast) func(context.Context) {
		s := c.sender(client)
		s.Queued = queued
		return s.Run
	}
	pool := func(c *clinic, client *http.Client, _ *background.Broadcast) func(context.Context) {
		return sharedPool{c, client}.run
	}
	calm := measureLoad(t, "lanes, none dead", false, lanes)
	provetest.Tried(t, spoilt, "dead receivers")
	rough := measureLoad(t, "lanes, 10 of 50 dead", true, lanes)
	measureLoad(t, "one pool of 64, none dead", false, pool)
	measureLoad(t, "one pool of 64, 10 of 50 dead", true, pool)
	if bound := max(calm*3/2, calm+50*time.Millisecond); rough > bound {
		t.Errorf("with dead receivers about, the healthy ones' p99 is %v; without it is %v", rough, calm)
	}
}

type senderOf func(c *clinic, client *http.Client, queued *background.Broadcast) func(context.Context)

// measureLoad returns the p99 wait of deliveries to healthy destinations, from the
// event to the claim.
func measureLoad(t *testing.T, name string, dead bool, sender senderOf) (p99 time.Duration) {
	t.Run(name, func(t *testing.T) {
		c, healthy := newClinic(t), newReceiver(t)
		c.ages = webhooks.Ages{CallIn: time.Hour, Other: time.Hour}
		for n := range healthyOnes {
			c.application(fmt.Sprintf("%s/%d", healthy.URL, n), application.RecordOpened)
		}
		for n, url := range spoiltURLs(t) {
			if !dead {
				url = healthy.URL
			}
			c.application(fmt.Sprintf("%s/spoilt/%d", url, n), application.RecordOpened)
		}
		queued := &background.Broadcast{}
		handler := c.fanOutHandler()
		handler.Queued = queued
		appended, grown := &background.Broadcast{}, &background.Broadcast{}
		c.store.Appended = appended
		log := c.keeper().Log
		runUntilCleanup(t, eventstore.NewSequencer(c.pool, appended, grown, log).Run)
		runUntilCleanup(t, c.consumer(handler, grown).Run)
		runUntilCleanup(t, sender(c, webhooks.NewClient(loopback, trusted(healthy)), queued))
		runUntilCleanup(t, c.runClock)
		c.load()
		var p50 time.Duration
		p50, p99 = c.waits(healthy.URL)
		t.Logf("%-30s healthy destinations waited p50 %6.1f ms, p99 %8.1f ms; %s", name, ms(p50), ms(p99), c.summary())
	})
	return p99
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// spoiltURLs are receivers that never answer, and some that refuse.
func spoiltURLs(t *testing.T) (urls []string) {
	blackHole := newReceiver(t)
	release := blackHole.hangs(t)
	t.Cleanup(release)
	refusing, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	_ = refusing.Close()
	for n := range spoilt {
		if n%2 == 0 {
			urls = append(urls, "https://"+refusing.Addr().String())
		} else {
			urls = append(urls, strings.TrimSuffix(blackHole.URL, "/"))
		}
	}
	return urls
}

// runClock advances the clock in real time.
func (c *clinic) runClock(ctx context.Context) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for watch, passed := clock.Start(), time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			elapsed := watch.Elapsed()
			c.clock.Pass(elapsed - passed)
			passed = elapsed
		}
	}
}

// load makes events happen at their pace.
func (c *clinic) load() {
	tick := time.NewTicker(time.Second / eventsEach)
	defer tick.Stop()
	for end := time.After(loadFor); ; {
		select {
		case <-end:
			return
		case <-tick.C:
			c.happen(1)
		}
	}
}

// waits returns how long deliveries to healthy destinations have waited; for pending
// ones, so far.
func (c *clinic) waits(url string) (p50, p99 time.Duration) {
	c.t.Helper()
	rows, err := c.pool.Query(c.t.Context(), `
		SELECT coalesce(d.claimed_at, $2) - d.happened_at FROM deliveries d JOIN webhooks w ON w.destination = d.destination
		WHERE w.url LIKE $1 AND w.url NOT LIKE '%/spoilt/%'`, url+"/%", c.clock.Now())
	must(c.t, err)
	waits, err := pgx.CollectRows(rows, pgx.RowTo[time.Duration])
	must(c.t, err)
	slices.Sort(waits)
	return waits[len(waits)/2], waits[len(waits)*99/100]
}

// sharedPool is the usual design: 64 workers, each takes the oldest delivery.
type sharedPool struct {
	*clinic
	client *http.Client
}

func (p sharedPool) run(ctx context.Context) {
	var workers sync.WaitGroup
	for range 64 {
		workers.Go(func() {
			for ctx.Err() == nil {
				if p.one(ctx) {
					continue
				}
				select {
				case <-ctx.Done():
				case <-time.After(10 * time.Millisecond):
				}
			}
		})
	}
	workers.Wait()
}

func (p sharedPool) one(ctx context.Context) bool {
	var event, app uuid.UUID
	var url string
	err := p.pool.QueryRow(ctx, `
		UPDATE deliveries d SET status = 'sending', claimed_at = $1 FROM webhooks w
		WHERE (d.event, d.application) = (SELECT event, application FROM deliveries WHERE status = 'pending' ORDER BY idx LIMIT 1 FOR UPDATE SKIP LOCKED)
			AND w.destination = d.destination
		RETURNING d.event, d.application, w.url`, p.clock.Now()).Scan(&event, &app, &url)
	if errors.Is(err, pgx.ErrNoRows) || err != nil {
		return false
	}
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	status := "failed"
	if request, err := http.NewRequestWithContext(limited, http.MethodPost, url, strings.NewReader(strings.Repeat("x", 900))); err == nil {
		if response, err := p.client.Do(request); err == nil {
			_ = response.Body.Close()
			status = "delivered"
		}
	}
	_, _ = p.pool.Exec(ctx, `UPDATE deliveries SET status = $3, finished_at = $4 WHERE event = $1 AND application = $2`, event, app, status, p.clock.Now())
	return true
}
