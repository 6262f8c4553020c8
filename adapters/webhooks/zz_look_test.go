package webhooks_test

import (
	"fmt"
	"strings"
	"testing"

	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
)

func TestZZLook(t *testing.T) {
	c := newClinic(t)
	c.application(hook, application.RecordOpened)
	c.happen(1000)
	c.fanOut()
	conn, _ := c.pool.Acquire(t.Context())
	defer conn.Release()
	for _, mode := range []string{"auto", "force_custom_plan", "force_generic_plan"} {
		for _, s := range []string{"SET jit = off; SET enable_seqscan = off; SET enable_bitmapscan = off; SET plan_cache_mode = " + mode,
			"PREPARE look" + mode + " (timestamptz, int, uuid[], int[], int, uuid, timestamptz) AS " + webhooks.ClaimBatch} {
			if _, err := conn.Exec(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 8 {
			rows, err := conn.Query(t.Context(), fmt.Sprintf("EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) EXECUTE look%s (now(), %d, '{}', '{}', 256, gen_random_uuid(), now())", mode, i%2*2))
			if err != nil {
				t.Fatal(err)
			}
			for rows.Next() {
				var l string
				_ = rows.Scan(&l)
				if strings.Contains(l, "Time") {
					t.Log(mode, i%2*2, l)
				}
			}
			rows.Close()
		}
	}
}
