package webhooks_test

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/sealing"
	"frontdesk/adapters/signing"
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/record"
)

func (c *clinic) keeper() webhooks.Keeper {
	return webhooks.Keeper{DB: c.pool, Now: c.clock.Now, RealNow: c.clock.Now, Retention: webhooks.DefaultRetention, Log: slog.New(slog.DiscardHandler)}
}

// A queued delivery is checked again when it is claimed.
func TestUnwantedDeliveryIsWithdrawn_D28(t *testing.T) {
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

// A delivery that was claimed while its patient was erased, and then released, is not
// sent.
func TestReleasedClaimHonoursErasure_D70(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	c.openRecord(t.Context(), c.patient)
	c.callIn(c.book(), c.room)
	c.openRecord(t.Context(), c.newPatient("Bill Baker"))
	c.fanOut()
	if _, err := c.admin().Exec(t.Context(), `INSERT INTO erasures (tenant, kind, holder, erased_at, erasure, stream, version, fingerprint) VALUES ($1, 1, $2, now(), gen_random_uuid(), $2, 2, '')`, tenant, c.patient); err != nil {
		t.Fatal(err)
	}
	c.sendTo(r)
	if got := r.all(); len(got) != 1 {
		t.Errorf("%d were sent, want the one of the other patient", len(got))
	}
	c.wantSummary("delivered 1, withdrawn erased 2")
}

func TestReenabledDeliveryIsSent_D14(t *testing.T) {
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

func TestExpiredDeliveryIsNotSent_D30(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	c.callIn(c.book(), c.room)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	c.clock.Pass(2*time.Minute + time.Second)
	c.sendTo(r)
	if got := r.all(); len(got) != 1 || c.verified(got[0].token)["event"] != "record.opened" {
		t.Errorf("sent: %d", len(got))
	}
	c.wantSummary("delivered 1, expired 1")
}

func TestKeeperEndsExpiredDeliveries_D30(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.application(hook)
	for range 3 {
		c.openRecord(t.Context(), c.patient)
	}
	c.fanOut()
	must(t, c.keeper().Keep(t.Context()))
	c.wantSummary("pending 3")
	c.clock.Pass(15*time.Minute + time.Second)
	must(t, c.keeper().Keep(t.Context()))
	c.wantSummary("expired 3")
}

// The keeper skips a delivery that another process has locked, and ends the others.
func TestKeeperPassesLockedDeliveries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ prepare, before, after string }{
		"unknown":   {`UPDATE deliveries SET status = 'sending', unknown_at = '2000-01-01'`, "sending 2", "sending 1, unknown 1"},
		"expired":   {`UPDATE deliveries SET not_after = '2000-01-01'`, "pending 2", "expired 1, pending 1"},
		"forgotten": {`UPDATE deliveries SET status = 'delivered', finished_at = '2000-01-01'`, "delivered 2", "delivered 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newClinic(t)
			w.application(hook)
			w.openRecord(t.Context(), w.patient)
			w.openRecord(t.Context(), w.patient)
			w.fanOut()
			_, err := w.admin().Exec(t.Context(), c.prepare)
			must(t, err)
			w.wantSummary(c.before)
			changing, err := w.admin().Begin(t.Context())
			must(t, err)
			defer func() { _ = changing.Rollback(context.WithoutCancel(t.Context())) }()
			_, err = changing.Exec(t.Context(), `SELECT FROM deliveries ORDER BY idx LIMIT 1 FOR UPDATE`)
			must(t, err)
			must(t, w.keeper().Keep(t.Context()))
			w.wantSummary(c.after)
		})
	}
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
	c.clock.Pass(keeper.Retention + time.Minute)
	must(t, keeper.Keep(t.Context()))
	c.wantSummary("")
}

// The recipients and the outcome of a delivery stay stored (D72).
func TestRecipientsOutliveDetails_D72(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	app := c.application(r.URL)
	c.openRecord(t.Context(), c.patient)
	c.sendTo(r)
	log := webhooks.DeliveryLog{DB: c.pool}
	before, err := log.List(t.Context(), webhooks.Filter{Limit: 9})
	must(t, err)
	c.clock.Pass(webhooks.DefaultRetention + time.Minute)
	must(t, c.keeper().Keep(t.Context()))
	after, err := log.List(t.Context(), webhooks.Filter{Limit: 9, Application: app, Status: webhooks.Delivered})
	must(t, err)
	if len(before) != 1 || len(after) != 1 || after[0].ID != before[0].ID || after[0].Idx != before[0].Idx || !after[0].FinishedAt.Equal(*before[0].FinishedAt) || after[0].KID != nil {
		t.Errorf("it was %+v and is %+v", before, after)
	}
	if n := c.count(fmt.Sprintf(`SELECT count(*) FROM delivered WHERE patient = '%s' AND application = '%s'`, c.patient, app)); n != 1 {
		t.Error("it is not known whom they were told about")
	}
	must(t, c.keeper().Keep(t.Context()))
}

// Without a key nothing can be signed, so nothing is claimed.
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

// A key that cannot be opened must not lose queued deliveries.
func TestUnsignableDeliveryIsReleased(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	client, other := webhooks.NewClient(loopback, trusted(r)), c.vault()
	other.Masters = sealing.NewRing(sealing.MasterKey{9})
	stop := start(t, c.sender(client, func(s *webhooks.Sender) { s.Signer = &signing.Signer{Vault: other} }))
	c.wait(`SELECT EXISTS (SELECT FROM deliveries WHERE status = 'pending' AND attempt IS NOT NULL)`)
	stop()
	c.wantSummary("pending 1")
	start(t, c.sender(client))
	c.verified(r.next(t).token)
}

// During an upgrade, the older program claims events that only the newer one can read.
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

// A backlog grows within seconds, and statistics follow in minutes. Whatever they are,
// a claim must not read the backlog of a lane to find its first four.
func TestClaimUsesIndexesDespiteStatistics(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.application(hook, application.RecordOpened)
	c.openRecord(t.Context(), c.patient)
	c.fanOut()
	admin := c.admin()
	for _, step := range []string{
		`ALTER TABLE deliveries SET (autovacuum_enabled = false)`,
		`ANALYZE deliveries`, // of one row
		`INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after)
			SELECT gen_random_uuid(), application, 1000 + n, tenant, kind, gen_random_uuid(), destination, happened_at, not_after
			FROM deliveries, generate_series(1, 20000) n`,
		`ANALYZE deliveries`,
	} {
		_, err := admin.Exec(t.Context(), step)
		must(t, err)
		plan := strings.ReplaceAll(c.explain("EXPLAIN "), "Seq Scan on sequencer", "") // it has one row
		for _, dear := range []string{"Bitmap", "Seq Scan", "JIT", "deliveries_age"} {
			if strings.Contains(plan, dear) {
				t.Errorf("after %s:\n%s", step, plan)
			}
		}
	}
}

// A thousand deliveries that wait for one another cost a look no more than ten, whether
// the first of them is ready or in flight. Deliveries behind them are found.
func TestClaimCostIgnoresBacklog(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"pending", "sending"} {
		c := newClinic(t)
		c.application(hook, application.RecordOpened)
		c.openRecord(t.Context(), c.patient)
		c.fanOut()
		admin := c.admin()
		_, err := admin.Exec(t.Context(), `UPDATE deliveries SET status = $1`, first)
		must(t, err)
		buffers := func(more int) int {
			_, err := admin.Exec(t.Context(), `
				INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after)
				SELECT gen_random_uuid(), application, 1000 + n, tenant, kind, subject, destination, happened_at, not_after
				FROM (SELECT * FROM deliveries LIMIT 1) d, generate_series((SELECT count(*) FROM deliveries), $1) n`, more)
			must(t, err)
			return c.claimBuffers()
		}
		if ten, thousand := buffers(10), buffers(1000); thousand > ten+24 { // a page holds some 25 rows, and a look reads 256
			t.Errorf("with the first %s: %d buffers for a thousand, %d for ten", first, thousand, ten)
		}
	}
}

// claimBuffers counts the buffers that a claim reads. It claims nothing.
func (c *clinic) claimBuffers() (buffers int) {
	c.t.Helper()
	plan := c.explain("EXPLAIN (ANALYZE, BUFFERS) ")
	_, found, _ := strings.Cut(plan, "Buffers: shared")
	found, _, _ = strings.Cut(found, "\n")
	for word := range strings.FieldsSeq(found) { // whether they were in memory depends on the cluster
		how, n, _ := strings.Cut(word, "=")
		if many, err := strconv.Atoi(n); err == nil && (how == "hit" || how == "read") {
			buffers += many
		}
	}
	if buffers == 0 {
		c.t.Fatal(plan)
	}
	return buffers
}

// explain returns the plan of a claim, which is rolled back.
func (c *clinic) explain(explain string) (plan string) {
	c.t.Helper()
	var batch pgx.Batch
	batch.Queue(webhooks.PlainPlan)
	batch.Queue(explain+webhooks.ClaimBatch, c.clock.Now(), 4, []uuid.UUID{}, []int32{}, 256, uuid.New(), c.clock.Now().Add(20*time.Second)).
		Query(func(rows pgx.Rows) error {
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			plan = strings.Join(lines, "\n")
			return err
		})
	tx, err := c.pool.Begin(c.t.Context())
	must(c.t, err)
	must(c.t, tx.SendBatch(c.t.Context(), &batch).Close())
	must(c.t, tx.Rollback(c.t.Context()))
	return plan
}
