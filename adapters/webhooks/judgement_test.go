package webhooks_test

import (
	"log/slog"
	"testing"
	"time"

	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/record"
)

func (c *clinic) keeper() webhooks.Keeper {
	return webhooks.Keeper{DB: c.pool, Now: c.clock.Now, Retention: 30 * 24 * time.Hour, Log: slog.New(slog.DiscardHandler)}
}

// What is queued is judged again when it is claimed.
func TestWhatNoLongerPassesIsWithdrawn_D28(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*clinic, application.ID){
		"disabled": func(c *clinic, id application.ID) { c.disable(id) },
		"removed":  func(c *clinic, id application.ID) { c.removeWebhook(id, application.RecordOpened) },
		"moved": func(c *clinic, id application.ID) {
			c.setWebhook(id, application.RecordOpened, "https://127.0.0.1:1/elsewhere")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, r := newClinic(t), newReceiver(t)
			id := c.application(r.URL)
			for range 9 { // more than the lane has slots
				c.openRecord(t.Context(), c.newPatient("Bill Baker"))
			}
			c.fanOut()
			change(c, id)
			c.sendTo(r)
			if got := r.all(); len(got) != 0 {
				t.Errorf("%d were sent", len(got))
			}
			c.wantSummary("withdrawn 9")
		})
	}
}

func TestWhatPassesAgainIsSent_D14(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	id := c.application(r.URL)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	c.disable(id)
	c.setWebhook(id, application.RecordOpened, "https://127.0.0.1:1/")
	c.setWebhook(id, application.RecordOpened, r.URL)
	c.enable(id)
	c.sendTo(r)
	c.wantSummary("delivered 1")
}

func TestWhatIsTooOldIsNotSent_D30(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	c.callIn(c.book(), c.room)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	c.clock.pass(2*time.Minute + time.Second)
	c.sendTo(r)
	if got := r.all(); len(got) != 1 || c.verified(got[0].token)["event"] != "record.opened" {
		t.Errorf("sent: %d", len(got))
	}
	c.wantSummary("delivered 1, expired 1")
}

func TestTheKeeperEndsWhatIsTooOldWhoeverShouldHaveSentIt_D30(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.application(hook)
	for range 3 {
		c.openRecord(t.Context(), c.patient)
	}
	c.fanOut()
	must(t, c.keeper().Keep(t.Context()))
	c.wantSummary("pending 3")
	c.clock.pass(15*time.Minute + time.Second)
	must(t, c.keeper().Keep(t.Context()))
	c.wantSummary("expired 3")
}

func TestOutcomesAreForgottenInTime(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	c.openRecord(t.Context(), c.patient)
	c.sendTo(r)
	keeper := c.keeper()
	must(t, keeper.Keep(t.Context()))
	c.wantSummary("delivered 1")
	c.clock.pass(keeper.Retention + time.Minute)
	must(t, keeper.Keep(t.Context()))
	c.wantSummary("")
}

// Without a key nothing could be signed, so nothing is claimed: it waits.
func TestNothingIsClaimedWithoutAnActiveKey_D34(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	c.retireKey(c.kid)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	start(t, c.sender(webhooks.NewClient(loopback, trusted(r))))
	next := c.stageKey()
	c.wantSummary("pending 1")
	c.activateKey(next)
	if kid := kidOf(t, r.next(t).token); kid != next {
		t.Errorf("signed with %s, want %s", kid, next)
	}
}

// A key that cannot be opened is no reason to lose what is queued.
func TestWhatCannotBeSignedHereIsLeftToOthers(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	client := webhooks.NewClient(loopback, trusted(r))
	stop := start(t, c.sender(client, func(s *webhooks.Sender) { s.Vault.Master = webhooks.MasterKey{9} }))
	c.wait(`SELECT EXISTS (SELECT FROM deliveries WHERE status = 'pending' AND attempt IS NOT NULL)`)
	stop()
	c.wantSummary("pending 1")
	start(t, c.sender(client))
	c.verified(r.next(t).token)
}

// During an upgrade, the older program claims what only the newer one can read.
func TestEventsOfANewerProgramAreLeftToIt(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	c.callIn(c.book(), c.room)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	older, err := event.NewCodec(record.Events()...)
	must(t, err)
	client := webhooks.NewClient(loopback, trusted(r))
	stop := start(t, c.sender(client, func(s *webhooks.Sender) { s.Codec = older }))
	if got := c.verified(r.next(t).token)["event"]; got != "record.opened" {
		t.Errorf("the older program sent %v", got)
	}
	stop()
	c.wantSummary("delivered 1, pending 1")
	start(t, c.sender(client))
	if got := c.verified(r.next(t).token)["event"]; got != "callin.notification.shown" {
		t.Errorf("the newer program sent %v", got)
	}
}
