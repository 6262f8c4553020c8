package webhooks_test

import (
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
)

// promote makes the database look like a standby that was just promoted.
func (c *clinic) promote() {
	c.t.Helper()
	_, err := c.admin().Exec(c.t.Context(), `UPDATE sequencer SET timeline = timeline - 1`)
	must(c.t, err)
}

// turns wakes a sender, which calls Next once before each look.
type turns struct {
	background.Broadcast
	taken  atomic.Int64
	looked chan struct{} // closed after the first look
}

func (b *turns) Next() <-chan struct{} {
	if b.taken.Add(1) == 2 {
		close(b.looked)
	}
	return b.Broadcast.Next()
}

// watched starts a sender and returns once it has looked for deliveries.
func (c *clinic) watched(r *receiver) {
	c.t.Helper()
	queued := &turns{looked: make(chan struct{})}
	start(c.t, c.sender(webhooks.NewClient(loopback, trusted(r)), func(s *webhooks.Sender) { s.Queued = queued }))
	select {
	case <-queued.looked:
	case <-time.After(patience):
		c.t.Fatal("the sender does not look")
	}
}

func TestStandbySendsNothingBeforeEpoch_D49(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL, application.RecordOpened)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	c.promote()
	c.watched(r)
	if got := r.all(); len(got) != 0 {
		t.Errorf("%d were sent", len(got))
	}
	c.wantSummary("pending 1")
}

// The lost history may have sent deliveries that are still pending here.
func TestEarlierEpochDeliveryIsNotSent_D49(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL, application.RecordOpened)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	c.openRecord(t.Context(), c.newPatient("Bill Baker")) // neither in the log nor fanned out
	c.promote()
	c.fanOut()
	c.openRecord(t.Context(), c.newPatient("Cleo Clark"))
	c.sendTo(r)
	if got := r.all(); len(got) != 1 {
		t.Errorf("%d were sent, want what happened in the new epoch", len(got))
	}
	c.wantSummary("delivered 1, unknown 2")
}

func TestDeliverySurvivingFailoverIsSent_D49(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL, application.RecordOpened)
	c.openRecord(t.Context(), c.patient)
	s := eventstore.NewSequencer(c.pool, nil, nil, slog.New(slog.DiscardHandler))
	s.Durability = postgres.Synchronous
	must(t, s.Drain(t.Context()))
	c.fanOut()
	c.promote()
	c.openRecord(t.Context(), c.newPatient("Bill Baker"))
	must(t, s.Drain(t.Context()))
	c.sendTo(r)
	if got := r.all(); len(got) != 2 {
		t.Errorf("%d were sent, want both", len(got))
	}
	c.wantSummary("delivered 2")
}

func TestOldEpochDeliveryIsNotUnsent_D49(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.application(hook, application.RecordOpened)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	c.promote()
	c.openRecord(t.Context(), c.newPatient("Bill Baker"))
	c.fanOut()
	c.clock.Pass(2 * webhooks.DefaultAge)
	must(t, c.keeper().Keep(t.Context()))
	c.wantSummary("pending 2") // until a claim ends it as unknown
}

// A claim that a crash or a failover undoes would be sent again.
func TestAClaimWaitsForTheDisk_D29(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t) // on a cluster that has synchronous_commit off
	c.application(r.URL, application.RecordOpened)
	c.openRecord(t.Context(), c.patient)
	admin := c.admin()
	_, err := admin.Exec(t.Context(), `
		CREATE TABLE waited (how text);
		CREATE FUNCTION note_wait() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
			INSERT INTO waited VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
		CREATE TRIGGER waits AFTER UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION note_wait()`)
	must(t, err)
	c.sendTo(r)
	var how []string
	must(t, admin.QueryRow(t.Context(), `SELECT array_agg(how) FROM waited`).Scan(&how))
	if want := []string{"on", "on"}; !slices.Equal(how, want) { // claimed, and ended
		t.Errorf("committed with synchronous_commit %v, want %v", how, want)
	}
}
