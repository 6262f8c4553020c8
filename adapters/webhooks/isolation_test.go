package webhooks_test

import (
	"fmt"
	"testing"
	"time"

	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
)

// startUnhurried runs a sender to plain receivers without a timeout: a call hangs until
// its receiver is released, however busy the machine is.
func (c *clinic) startUnhurried(edits ...func(*webhooks.Sender)) (stop func()) {
	c.t.Helper()
	return start(c.t, c.sender(plainClient(), append(edits, func(s *webhooks.Sender) { s.Timeout = time.Hour })...))
}

// 70 receivers that never answer could hold four slots each, more than there are. The
// healthy one still gets all of its webhooks while they hang.
func TestDeadReceiversDelayNoOthers_D32(t *testing.T) {
	t.Parallel()
	c, dead, healthy := newClinic(t), newPlainReceiver(t), newPlainReceiver(t)
	release := dead.hangs(t)
	for i := range 70 {
		c.application(fmt.Sprintf("%s/%d", dead.URL, i), application.RecordOpened)
	}
	alive := c.application(healthy.URL, application.RecordOpened)
	for range 12 {
		c.openRecord(t.Context(), c.newPatient("Bill Baker"))
	}
	c.fanOut()
	c.startUnhurried()
	defer release()
	for range 12 {
		healthy.next(t)
	}
	c.wait(`SELECT NOT EXISTS (SELECT FROM deliveries WHERE application = $1 AND status <> 'delivered')`, alive)
	if n := c.count(`SELECT count(*) FROM deliveries WHERE application <> $1 AND status NOT IN ('pending', 'sending')`, alive); n > 0 {
		t.Errorf("%d deliveries to dead receivers had ended before the healthy one was served", n)
	}
	if most := c.count(`SELECT max(n) FROM (SELECT count(*) AS n FROM deliveries WHERE status = 'sending' GROUP BY destination) s`); most > 4 {
		t.Errorf("%d are in flight to one destination", most)
	}
}

func TestAtMost256AreInFlight_D32(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newPlainReceiver(t)
	release := r.hangs(t)
	for i := range 300 {
		c.application(fmt.Sprintf("%s/%d", r.URL, i), application.RecordOpened)
	}
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	c.startUnhurried()
	defer release()
	for range 256 {
		r.next(t)
	}
	c.wantSummary("pending 44, sending 256")
	release()
	c.wait(settled)
	c.wantSummary("delivered 300")
}

// There is no backoff: after ten failures the next event is sent at once.
func TestFailingReceiverGetsNextEvent_D32(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	r.answersStatus(500)
	start(t, c.sender(webhooks.NewClient(loopback, trusted(r))))
	for range 10 {
		c.openRecord(t.Context(), c.patient)
		c.fanOut()
		r.next(t)
		c.wait(settled)
	}
	r.answersStatus(204)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	r.next(t)
	c.wait(settled)
	c.wantSummary("delivered 1, failed http_5xx 10")
}

// Four are in flight to one destination, whichever kinds of event they are.
func TestADestinationIsAReceiverNotAKind_D32(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newPlainReceiver(t)
	release := r.hangs(t)
	c.application(r.URL)
	for range 4 {
		c.openRecord(t.Context(), c.newPatient("Bill Baker"))
		c.callIn(c.book(), c.room)
	}
	c.fanOut()
	c.startUnhurried()
	defer release()
	for range 4 {
		r.next(t)
	}
	c.wantSummary("pending 4, sending 4")
	release()
	c.wait(settled)
	c.wantSummary("delivered 8")
}
