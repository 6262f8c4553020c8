//go:build prove

package audit_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
)

// repeated is how often the same call is refused.
const repeated = 100_000

// A program that repeats a refused call fills less than a megabyte of the access record, each
// call is counted, and the record verifies.
func TestProveRepeatsStaySmall_D173(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	pool, admin := c.DB.Pool(t), c.DB.AdminPool(t)
	size := func() (bytes int64) {
		clitest.Must(t, admin.QueryRow(t.Context(), `SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('access_record')`).Scan(&bytes))
		return bytes
	}
	before := size()
	recorder := accesslog.NewRecorder(pool, prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	var writing, calling sync.WaitGroup
	writing.Go(func() { recorder.Run(ctx) })
	call := access.Call{
		At: callsAt, Tenant: "elm", Application: callsApp, Endpoint: access.CreateNote, Status: 403, Code: "unauthorized",
		Reason: "The app is not currently authorised to request as the specified user",
	}
	call.Patient.UUID = uuid.New()
	for range 8 {
		calling.Go(func() {
			for range repeated / 8 {
				mine := call
				mine.RequestID = event.NewID()
				recorder.Record(mine)
			}
		})
	}
	calling.Wait()
	stop()
	writing.Wait()
	provetest.Tried(t, repeated, "equal refusals")

	var lines, calls int64
	clitest.Must(t, admin.QueryRow(t.Context(), `SELECT count(*), sum(1 + repeats) FROM access_record WHERE status = 403`).Scan(&lines, &calls))
	grown := size() - before
	t.Logf("%d calls are %d lines and %d bytes", calls, lines, grown)
	if calls != repeated || grown > 1<<20 {
		t.Errorf("the record has %d calls in %d bytes, want %d in at most a megabyte", calls, grown, repeated)
	}
	_, err := proving.NewProver(pool, &background.Broadcast{}, slog.New(slog.DiscardHandler)).Prove(t.Context())
	clitest.Must(t, err)
	if out := c.Audit(t, "verify").Out; !strings.Contains(out, "nothing differs") {
		t.Errorf("the record does not verify:\n%s", out)
	}
}
