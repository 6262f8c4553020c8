package webhooks_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
)

// A backlog grows within seconds, and statistics follow in minutes. Whatever
// they say, a claim must not read the backlog of a lane to find its first four.
func TestAClaimWalksIndexesWhateverTheStatisticsSay(t *testing.T) {
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
		plan := c.claimPlan()
		for _, dear := range []string{"Bitmap", "Seq Scan", "JIT"} {
			if strings.Contains(plan, dear) {
				t.Errorf("after %s:\n%s", step, plan)
			}
		}
	}
}

// claimPlan is how the database would carry a claim out.
func (c *clinic) claimPlan() (plan string) {
	c.t.Helper()
	var batch pgx.Batch
	batch.Queue(webhooks.PlainPlan)
	batch.Queue("EXPLAIN "+webhooks.ClaimBatch, c.clock.Now(), 4, []uuid.UUID{}, []int32{}, 256, uuid.New(), c.clock.Now().Add(20*time.Second)).
		Query(func(rows pgx.Rows) error {
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			plan = strings.Join(lines, "\n")
			return err
		})
	must(c.t, c.pool.SendBatch(c.t.Context(), &batch).Close())
	return plan
}
