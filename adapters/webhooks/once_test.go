package webhooks_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/site"
)

// jtis counts received webhooks by jti.
func (c *clinic) jtis(posts []post) map[string]int {
	c.t.Helper()
	seen := map[string]int{}
	for _, p := range posts {
		seen[c.verified(p.token)["jti"].(string)]++
	}
	return seen
}

func TestTwoSendersSendEverythingOnce_D29(t *testing.T) {
	t.Parallel()
	twoSenders(newClinic(t))
}

// The database may have another default isolation level, and commits that do not wait
// for the disk.
func TestOddDatabaseDefaultsSendOnce_D29(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	db.Odd(t, "serializable")
	c := clinicOn(t, db.URL)
	c.found()
	twoSenders(c)
}

func twoSenders(c *clinic) {
	t := c.t
	t.Helper()
	r := newReceiver(t)
	for range 3 {
		c.application(r.URL)
	}
	const events = 60
	for range events {
		c.openRecord(t.Context(), c.newPatient("Bill Baker"))
	}
	c.fanOut()
	client := webhooks.NewClient(loopback, trusted(r))
	for range 2 {
		start(t, c.sender(client))
	}
	c.wait(settled)
	seen := c.jtis(r.all())
	for jti, n := range seen {
		if n != 3 {
			t.Errorf("%s was received %d times by 3 applications", jti, n)
		}
	}
	if len(seen) != events {
		t.Errorf("%d of %d events were received", len(seen), events)
	}
	c.wantSummary("delivered 180")
}

// The receiver answers slowly and out of order. Two senders have four slots each.
// Webhooks about one appointment arrive in order.
func TestOrderIsKeptPerSubjectAcrossSenders_D31(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	var mu sync.Mutex
	inFlight, worst, arrived := map[string]int{}, 0, map[string][]string{}
	c.application(r.URL)
	r.answers(func(_ http.ResponseWriter, request *http.Request) {
		p := <-r.got
		claims := c.verified(p.token)
		id := claims["data"].(object)["appointmentId"].(string)
		mu.Lock()
		arrived[id] = append(arrived[id], claims["event"].(string))
		inFlight[id]++
		worst = max(worst, inFlight[id])
		pause := time.Duration(len(arrived)*7%5) * time.Millisecond
		mu.Unlock()
		select {
		case <-request.Context().Done():
		case <-time.After(pause):
		}
		mu.Lock()
		inFlight[id]--
		mu.Unlock()
	})
	var seen []appointment.ID
	for range 8 {
		seen = append(seen, c.book())
	}
	for range 3 {
		for _, id := range seen {
			c.callIn(id, c.room)
			c.callIn(id, site.RoomID{})
			c.clearCallIn(id)
		}
	}
	c.fanOut()
	client := webhooks.NewClient(loopback, trusted(r))
	for range 2 {
		start(t, c.sender(client))
	}
	c.wait(settled)
	for _, id := range seen {
		for i, kind := range arrived[id.String()] {
			want := application.CallInShown
			if i%3 == 2 {
				want = application.CallInRemoved
			}
			if kind != string(want) {
				t.Errorf("%s: %s came as number %d", id, kind, i+1)
			}
		}
	}
	if worst != 1 {
		t.Errorf("%d webhooks of one appointment were under way at once", worst)
	}
	c.wantSummary("delivered 72")
}

// A delivery in flight when its sender died may have arrived. Another process marks it
// unknown after 20 s, and it is never sent again. Deliveries behind it continue.
func TestInFlightAtCrashBecomesUnknown_D29(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	id := c.book()
	c.callIn(id, c.room)
	c.clearCallIn(id)
	c.fanOut()
	c.crash(`kind = 'callin.notification.shown'`)

	client := webhooks.NewClient(loopback, trusted(r))
	start(t, c.sender(client))
	c.clock.Pass(19 * time.Second)
	must(t, c.keeper().Keep(t.Context()))
	c.wantSummary("pending 1, sending 1") // the removal waits for it
	c.clock.Pass(2 * time.Second)
	must(t, c.keeper().Keep(t.Context()))
	c.wait(settled)
	c.wantSummary("delivered 1, unknown 1")
	if got := r.all(); len(got) != 1 || c.verified(got[0].token)["event"] != "callin.notification.removed" {
		t.Errorf("received %d", len(got))
	}
}

// crash leaves deliveries in the state of a sender that dies between its claim and the
// outcome.
func (c *clinic) crash(which string) {
	c.t.Helper()
	now := c.clock.Now()
	_, err := c.pool.Exec(c.t.Context(), `UPDATE deliveries SET status = 'sending', attempt = gen_random_uuid(), claimed_at = $1, unknown_at = $2 WHERE `+which,
		now, now.Add(20*time.Second))
	must(c.t, err)
}

// A sender that counted as dead may still learn its outcome. The status unknown stays:
// a reader may have acted on it.
func TestLateOutcomeChangesNothing_D29(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newPlainReceiver(t)
	release := r.hangs(t)
	c.application(r.URL)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	stop := c.startUnhurried()
	defer release()
	r.next(t)
	c.clock.Pass(2 * time.Hour)
	must(t, c.keeper().Keep(t.Context()))
	c.wantSummary("unknown 1")
	release()
	stop()
	c.wantSummary("unknown 1")
}

// Stopping is not a crash: the sender waits for calls in flight and begins no others.
func TestStoppingWaitsForCallsInFlight(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newPlainReceiver(t)
	release := r.hangs(t)
	c.application(r.URL)
	for range 9 {
		c.openRecord(t.Context(), c.newPatient("Bill Baker"))
	}
	c.fanOut()
	stop := c.startUnhurried()
	defer release()
	for range 4 {
		r.next(t)
	}
	stopped := make(chan struct{})
	go func() { defer close(stopped); stop() }()
	select {
	case <-stopped:
		t.Error("stopped with webhooks under way")
	case <-time.After(50 * time.Millisecond): // long enough for a wrong one to be caught now and then
	}
	release()
	<-stopped
	c.wantSummary("delivered 4, pending 5")
}
