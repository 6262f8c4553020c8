package webhooks_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/webhooks"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
)

const hook = "https://app.example/hook"

func (c *clinic) disable(id application.ID) {
	c.t.Helper()
	must(c.t, commands.Desk{Store: c.store}.DisableApplication(c.t.Context(),
		commands.DisableApplication{Tenant: tenant, Application: id}))
}

func (c *clinic) removeWebhook(id application.ID, kind application.WebhookEvent) {
	c.t.Helper()
	must(c.t, commands.Desk{Store: c.store}.RemoveWebhook(c.t.Context(),
		commands.RemoveWebhook{Application: id, Event: kind}))
}

func (c *clinic) count(sql string, args ...any) (n int) {
	c.t.Helper()
	must(c.t, c.pool.QueryRow(c.t.Context(), sql, args...).Scan(&n))
	return n
}

func TestOnlyEnabledRegisteredGetWebhooks_D28(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	both := []application.ID{c.application(hook), c.application(hook, application.RecordOpened)}
	c.application(hook, application.CallInShown)
	c.disable(c.application(hook))
	c.removeWebhook(c.application(hook, application.RecordOpened), application.RecordOpened)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()

	if told := c.count(`SELECT count(*) FROM deliveries WHERE application = ANY ($1)`, both); told != 2 {
		t.Errorf("%d of the two applications are told", told)
	}
	c.wantSummary("pending 2")
}

func TestOtherPracticesGetNoWebhooks_D18(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	app := c.application(hook)
	c.disable(app)
	must(t, commands.Desk{Store: c.store}.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: "oak-street", Name: "Oak Street"}))
	must(t, commands.Desk{Store: c.store}.EnableApplication(t.Context(), commands.EnableApplication{Tenant: "oak-street", Application: app}))
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	c.wantSummary("")
}

// An event from before an erasure, fanned out after it, is not sent.
func TestErasedPatientIsNotFannedOut_D70(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.application(hook)
	gone := c.newPatient("Cleo")
	c.openRecord(t.Context(), gone)
	c.openRecord(t.Context(), c.patient)
	_, err := c.admin().Exec(t.Context(), `INSERT INTO erasures (tenant, kind, holder, erased_at, erasure, stream, version, fingerprint) VALUES ($1, 1, $2, now(), gen_random_uuid(), $2, 2, '')`, tenant, gone)
	must(t, err)
	c.fanOut()
	c.wantSummary("pending 1")
	if told := c.count(`SELECT count(*) FROM deliveries WHERE subject = $1`, gone); told > 0 {
		t.Error("the erased patient is told of")
	}
}

// Fan-out during an erasure waits for its end, and then creates no delivery.
func TestFanOutWaitsForErasure(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.application(hook)
	c.openRecord(t.Context(), c.patient)
	must(t, eventstore.NewSequencer(c.pool, &background.Broadcast{}, &background.Broadcast{}, slog.New(slog.DiscardHandler)).Drain(t.Context()))
	var opened event.Recorded
	for e, err := range (eventstore.Log{DB: c.pool, Codec: c.codec}).After(t.Context(), 0) {
		must(t, err)
		opened = e
	}
	erasing, err := c.admin().Begin(t.Context())
	must(t, err)
	defer func() { _ = erasing.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = erasing.Exec(t.Context(), `LOCK TABLE erasures IN EXCLUSIVE MODE`)
	must(t, err)
	_, err = erasing.Exec(t.Context(), `INSERT INTO erasures (tenant, kind, holder, erased_at, erasure, stream, version, fingerprint) VALUES ($1, 1, $2, now(), gen_random_uuid(), $2, 2, '')`, tenant, c.patient)
	must(t, err)

	handled := make(chan error, 1)
	runUntilCleanup(t, func(ctx context.Context) {
		handled <- pgx.BeginFunc(ctx, c.pool, func(tx pgx.Tx) error {
			return c.fanOutHandler().HandleAlone(ctx, tx.Conn(), []event.Recorded{opened})
		})
	})
	clocktest.Eventually(t, func() bool {
		return len(handled) > 0 || c.count(`SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'erasures'::regclass`) > 0
	}, "the fan-out to wait for the erasure")
	must(t, erasing.Commit(t.Context()))
	must(t, <-handled)
	c.wantSummary("")
}

func TestAnEventIsFannedOutOnce_D28(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.application(hook)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	c.fannedOut = 0 // the feed may repeat an event
	c.fanOut()
	c.wantSummary("pending 1")
}

func TestADeliveryHoldsIDsOnly(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.application(hook)
	c.callIn(c.book(), c.room)
	c.openRecord(c.by(event.Actor{Kind: event.ByStaff, ID: c.member.String()}), c.patient)
	c.fanOut()
	for _, personal := range []string{"Archer", "Taylor", "elm.example"} {
		if c.count(`SELECT count(*) FROM deliveries d WHERE to_jsonb(d)::text LIKE '%' || $1 || '%'`, personal) > 0 {
			t.Errorf("a delivery holds %q", personal)
		}
	}
}

func TestBadEventIsParkedInFanOut(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.application(hook)
	stream := event.Stream{Tenant: tenant, ID: uuid.New()}
	_, err := c.store.Append(t.Context(), event.Change{Stream: stream, Events: []event.Event{record.CareRecordOpened{Patient: patient.ID{}}}})
	must(t, err)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	c.wantSummary("pending 1")
	var reason string
	must(t, c.pool.QueryRow(t.Context(), `SELECT reason FROM parked_events WHERE consumer = $1 AND name = 'care-record.opened.v1'`,
		webhooks.FanOutName).Scan(&reason))
	if reason != "the event names no patient and no appointment" {
		t.Errorf("parked because %q", reason)
	}
}

func TestParkedReasonHoldsNoData(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.application(hook)
	// No clock reaches this far, but a bug might.
	must(t, c.refusesDeliveries())
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	c.wantSummary("")
	if n := c.count(`SELECT count(*) FROM parked_events WHERE reason = 'SQLSTATE 23514 no_deliveries'`); n != 1 {
		t.Errorf("%d events parked", n)
	}
}

func TestTemporaryFailureIsRetriedNotParked(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.application(hook)
	c.openRecord(t.Context(), c.patient)
	tx, err := c.pool.Begin(t.Context())
	must(t, err)
	defer func() { _ = tx.Rollback(t.Context()) }()
	_, err = tx.Exec(t.Context(), `SET LOCAL statement_timeout = '1ms'`)
	must(t, err)
	_, err = tx.Exec(t.Context(), `SELECT pg_sleep(1)`)
	if err == nil {
		t.Fatal("the time limit did not hold")
	}
	e := event.Recorded{Event: record.CareRecordOpened{Patient: c.patient}, Idx: 1, ID: uuid.New(), Stream: event.Stream{Tenant: tenant}, At: c.clock.Now()}
	if err := c.fanOutHandler().HandleAlone(t.Context(), tx.Conn(), []event.Recorded{e}); err == nil {
		t.Error("a broken transaction was taken for handled")
	}
	if n := c.count(`SELECT count(*) FROM parked_events`); n != 0 {
		t.Errorf("%d events parked", n)
	}
}

// The feed, the handler and the sender, wired as in production.
func TestFeedFanOutAndSenderTogether(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	appended, grown, queued := &background.Broadcast{}, &background.Broadcast{}, &background.Broadcast{}
	c.store.Appended = appended
	handler := c.fanOutHandler()
	handler.Queued = queued
	s := c.sender(webhooks.NewClient(loopback, trusted(r)))
	s.Queued = queued
	start(t, s)
	runUntilCleanup(t, eventstore.NewSequencer(c.pool, appended, grown, s.Log).Run)
	runUntilCleanup(t, c.consumer(handler, grown).Run)

	id := c.book()
	c.callIn(id, c.room)
	c.startConsultation(t.Context(), id)
	kinds := map[any]int{}
	for range 3 {
		kinds[c.verified(r.next(t).token)["event"]]++
	}
	if kinds["callin.notification.shown"] != 1 || kinds["callin.notification.removed"] != 1 || kinds["consultation.started"] != 1 {
		t.Errorf("told %v", kinds)
	}
}

func TestAgeLimits_D30(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.application(hook)
	c.callIn(c.book(), c.room)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	for kind, want := range map[application.WebhookEvent]time.Duration{
		application.CallInShown: 2 * time.Minute, application.RecordOpened: 15 * time.Minute,
	} {
		if c.count(`SELECT count(*) FROM deliveries WHERE kind = $1 AND not_after = happened_at + $2::interval`, string(kind), want.String()) != 1 {
			t.Errorf("%s may not be %v old", kind, want)
		}
	}
}

// The feed passes a page, and single events after a page has failed.
func TestBadEventOfPageIsParkedAlone(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.application(hook)
	var changes []event.Change
	for _, about := range []patient.ID{c.patient, {}, c.patient} {
		changes = append(changes, event.Change{
			Stream: event.Stream{Tenant: tenant, ID: uuid.New()}, Events: []event.Event{record.CareRecordOpened{Patient: about}},
		})
	}
	_, err := c.store.Append(t.Context(), changes...)
	must(t, err)
	must(t, eventstore.NewSequencer(c.pool, nil, nil, nil).Drain(t.Context()))
	runUntilCleanup(t, c.consumer(c.fanOutHandler(), &background.Broadcast{}).Run)
	clocktest.Eventually(t, func() bool {
		return c.count(`SELECT count(*) FROM feed_offsets JOIN sequencer ON idx = head WHERE consumer = $1`, webhooks.FanOutName) == 1
	}, "the fan-out to come to the end")
	c.wantSummary("pending 2")
	if n := c.count(`SELECT count(*) FROM parked_events`); n != 1 {
		t.Errorf("%d events parked", n)
	}
}
