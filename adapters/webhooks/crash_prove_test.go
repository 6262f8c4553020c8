//go:build prove

package webhooks_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/provetest"
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
	"frontdesk/domain/site"
)

// The steps at which a sender can be killed.
const (
	anywhere    = ""
	beforeClaim = "locked"   // during its claim; the database may still execute it
	afterClaim  = "claimed"  // before the first byte
	midBody     = "body"     // while the receiver reads
	afterAnswer = "answered" // before the outcome is recorded
)

// TestMain runs the tests, or a sender for a test to kill.
func TestMain(m *testing.M) {
	if os.Getenv("WEBHOOKS_SENDER") == "" {
		os.Exit(m.Run())
	}
	sendUntilKilled()
}

// sendUntilKilled is the main function of a sender's process.
func sendUntilKilled() {
	t := &processTB{}
	now, err := time.Parse(time.RFC3339Nano, os.Getenv("WEBHOOKS_NOW"))
	must(t, err)
	c := clinicOn(t, os.Getenv("WEBHOOKS_DATABASE"))
	c.clock.Pass(now.Sub(c.clock.Now()))
	certificates, err := os.ReadFile(os.Getenv("WEBHOOKS_CA"))
	must(t, err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(certificates)
	client := webhooks.NewClient(loopback, roots)
	client.Transport = &stopper{client.Transport, os.Getenv("WEBHOOKS_STOP")}
	_, _ = fmt.Fprintln(os.Stdout, "ready")
	c.sender(client).Run(t.Context())
}

// processTB lets a process use test helpers: a failure ends it.
type processTB struct{ testing.TB }

func (*processTB) Helper()                  {}
func (*processTB) Cleanup(func())           {}
func (*processTB) Context() context.Context { return context.Background() }
func (*processTB) Fatal(args ...any)        { panic(fmt.Sprint(args...)) }

// stopper reports the step of its sender and stops there, to be killed.
type stopper struct {
	http.RoundTripper
	at string
}

func (s *stopper) RoundTrip(request *http.Request) (*http.Response, error) {
	if s.at == afterClaim {
		s.stay()
	}
	response, err := s.RoundTripper.RoundTrip(request)
	if s.at == afterAnswer && err == nil {
		s.stay()
	}
	return response, err
}

func (*stopper) stay() {
	_, _ = fmt.Fprintln(os.Stdout, "here")
	select {}
}

// victim is a sender's process.
type victim struct {
	process *exec.Cmd
	here    chan struct{} // it has reached its step
}

func (c *clinic) victim(ca, at string) *victim {
	c.t.Helper()
	v := &victim{exec.Command(os.Args[0]), make(chan struct{}, 1000)}
	v.process.Env = append(os.Environ(), "WEBHOOKS_SENDER=1", "WEBHOOKS_DATABASE="+c.url, "WEBHOOKS_CA="+ca, "WEBHOOKS_STOP="+at,
		"WEBHOOKS_NOW="+c.clock.Now().Format(time.RFC3339Nano))
	v.process.Stderr = os.Stderr
	out, err := v.process.StdoutPipe()
	must(c.t, err)
	must(c.t, v.process.Start())
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		c.t.Fatal("the sender did not start")
	}
	go func() {
		for lines.Scan() {
			v.here <- struct{}{}
		}
	}()
	c.t.Cleanup(v.kill)
	return v
}

// kill is kill -9.
func (v *victim) kill() {
	_ = v.process.Process.Kill()
	_ = v.process.Wait()
}

// ledger records received webhooks by application and event.
type ledger struct {
	*receiver
	here chan struct{} // a request is in the middle of its body

	mu    sync.Mutex
	stop  bool // in the middle of bodies
	times map[string]int
	order map[string][]int // of each appointment's three events
}

// newLedger reads bodies in two steps, so that there is a middle.
func newLedger(c *clinic) *ledger {
	l := &ledger{here: make(chan struct{}, 1), times: map[string]int{}, order: map[string][]int{}}
	handler := http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		head := make([]byte, 100)
		n, _ := io.ReadFull(request.Body, head)
		if l.stops() {
			select {
			case l.here <- struct{}{}:
			default:
			}
			<-time.After(50 * time.Millisecond) // its sender dies in this time
		}
		rest, err := io.ReadAll(request.Body)
		if err != nil {
			return // an incomplete body is not received
		}
		l.received(c, request.URL.Path, string(head[:n])+string(rest))
		w.WriteHeader(http.StatusNoContent)
	})
	l.receiver = newReceiver(c.t, func(s *httptest.Server) { s.Config.Handler = handler })
	return l
}

func (l *ledger) stops() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stop
}

func (l *ledger) stopInBodies(stop bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop = stop
}

func (l *ledger) received(c *clinic, path, token string) {
	claims := c.verified(token)
	data := claims["data"].(object)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.times[path+claims["jti"].(string)]++
	place := 3
	if claims["event"] == "callin.notification.shown" {
		place = 2
		if data["roomName"] != nil {
			place = 1
		}
	}
	subject := path + data["appointmentId"].(string)
	l.order[subject] = append(l.order[subject], place)
}

// TestProveThatKillsSendNothingTwice kills senders with SIGKILL at every step of a
// delivery, under load and two of them at once, and compares the receiver's ledger with
// the database.
func TestProveKillsSendNothingTwice_D29_D31(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.ages = webhooks.Ages{CallIn: time.Hour, Other: time.Hour} // a busy machine needs time for this
	l := newLedger(c)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: l.Certificate().Raw}), 0o600))
	paths := map[application.ID]string{}
	for n := range 3 {
		path := fmt.Sprintf("/%d", n)
		paths[c.application(l.URL+path, application.CallInShown, application.CallInRemoved)] = path
	}
	rounds := provetest.Pick(1, 10)
	most := 0
	for range rounds {
		for _, at := range []string{anywhere, beforeClaim, afterClaim, midBody, afterAnswer} {
			c.busyDay(10)
			l.stopInBodies(at == midBody)
			c.clock.Pass(time.Second) // since the claims of the last senders
			begun := c.clock.Now()
			c.killTwo(l, ca, at)
			most = max(most, c.left(begun))
		}
	}
	l.stopInBodies(false)
	killed := c.summary()
	c.clock.Pass(21 * time.Second)
	must(t, c.keeper().Keep(t.Context()))
	last := c.victim(ca, anywhere)
	c.wait(settled)
	last.kill()
	c.compare(l, paths)
	if most > 2*8 {
		t.Errorf("two senders left %d of one destination behind", most)
	}
	provetest.Tried(t, 2*5*rounds, "kills")
	provetest.Tried(t, len(l.times), "webhooks received")
	t.Logf("%d kills left %s, at most %d of one destination at once; in the end: %s", 2*5*rounds, killed, most, c.summary())
}

// busyDay queues n call-ins, moves to another room, and ends.
func (c *clinic) busyDay(n int) {
	c.t.Helper()
	for range n {
		id := c.book()
		c.callIn(id, c.room)
		c.callIn(id, site.RoomID{})
		c.clearCallIn(id)
	}
	c.fanOut()
}

// killTwo kills one sender at a step, and another that sends at the same time wherever
// it is.
func (c *clinic) killTwo(l *ledger, ca, at string) {
	c.t.Helper()
	unlock := func() {}
	if at == beforeClaim {
		unlock = c.lockDeliveries()
	}
	victim, other := c.victim(ca, at), c.victim(ca, anywhere)
	here := map[string]<-chan struct{}{afterClaim: victim.here, afterAnswer: victim.here, midBody: l.here}[at]
	limit := 2 * time.Second // the other one may have sent everything
	if at == anywhere || at == beforeClaim {
		limit = rand.N(150 * time.Millisecond)
	}
	select {
	case <-here:
	case <-time.After(limit):
	}
	victim.kill()
	unlock()
	<-time.After(rand.N(100 * time.Millisecond))
	other.kill()
}

// left is the maximum number of one destination's claims abandoned by senders that
// began since then.
func (c *clinic) left(since time.Time) int {
	c.t.Helper()
	// No sender is running, but the database may still execute the last claim of a dead
	// one.
	c.wait(`SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active')`)
	return c.count(`SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM deliveries WHERE status = 'sending' AND claimed_at >= $1 GROUP BY destination) s`, since)
}

// lockDeliveries blocks every claim until the returned function is called.
func (c *clinic) lockDeliveries() (unlock func()) {
	c.t.Helper()
	tx, err := c.admin().Begin(c.t.Context())
	must(c.t, err)
	_, err = tx.Exec(c.t.Context(), `LOCK TABLE deliveries IN ACCESS EXCLUSIVE MODE`)
	must(c.t, err)
	return func() { must(c.t, tx.Rollback(c.t.Context())) }
}

// compare fails if anything was received twice, was lost without a claim, came out of
// order, or has the status delivered but did not arrive.
func (c *clinic) compare(l *ledger, paths map[application.ID]string) {
	c.t.Helper()
	deliveries, err := webhooks.DeliveryLog{DB: c.pool}.List(c.t.Context(), webhooks.Filter{Limit: 1_000_000})
	must(c.t, err)
	for _, d := range deliveries {
		got := l.times[paths[d.Application]+d.ID.String()]
		switch {
		case d.Status == webhooks.Delivered && got == 1, d.Status == webhooks.Unknown && got <= 1:
		default:
			c.t.Errorf("%s to %s: %s, and received %d times", d.ID, paths[d.Application], d.Status, got)
		}
	}
	for subject, places := range l.order {
		if !slices.IsSorted(places) {
			c.t.Errorf("%s was told in the order %v", subject, places)
		}
	}
}
