//go:build prove

package app_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// afterYears is the data of a large service. It takes some 10 GB of disk. In a night it is a
// tenth.
var afterYears = provetest.Pick(
	postgrestest.Grown{
		Practices: 100, Staff: 10_000, Patients: 100_000, Events: 1_000_000, Entries: 200_000,
		Calls: 200_000, Deliveries: 50_000, Uploads: 10_000,
	},
	postgrestest.Grown{
		Practices: 1000, Staff: 100_000, Patients: 1_000_000, Events: 10_000_000, Entries: 2_000_000,
		Calls: 2_000_000, Deliveries: 500_000, Uploads: 100_000,
	},
)

// The limit of a whole call on the grown database, as a multiple of its time on the empty
// one.
const (
	mostMedian = 1.1
	mostTail   = 1.5
)

// TestProveGrowth does the same on a database of ten million events and on an empty one,
// in turns, in one cluster, and prints how they compare.
func TestProveGrowth(t *testing.T) { //nolint:paralleltest // it measures
	cluster := spacious(t)
	begun := clock.Start()
	postgrestest.Grow(t, cluster.URL("grown", embedded.Superuser), afterYears)
	t.Logf("grown within %s", begun.Elapsed().Round(time.Second))
	provetest.Tried(t, afterYears.Events, "events")
	empty, grown := growing(t, cluster, "empty"), growing(t, cluster, "grown")
	table := []string{tableOfGrowth}
	for _, d := range operations() {
		c := d.compare(t, empty, grown)
		provetest.Tried(t, 1, "comparisons")
		table = append(table, c.row(d.name))
		median, tail := c.ratios()
		if d.judged && (median > mostMedian || tail > mostTail) {
			t.Errorf("%s takes %.2f times as long as at the beginning, and %.2f times at the 99th percentile", d.name, median, tail)
		}
	}
	t.Log("\n" + strings.Join(table, "\n"))
}

// spacious is a cluster with enough memory and disk, and two databases.
func spacious(t *testing.T) *embedded.Server {
	t.Helper()
	dir := t.TempDir()
	configured, err := embedded.Start(t.Context(), embedded.Config{Dir: dir})
	must(t, err)
	conn, err := pgx.Connect(t.Context(), configured.URL("postgres", embedded.Superuser))
	must(t, err)
	for _, setting := range []string{"shared_buffers = '1GB'", "max_wal_size = '4GB'", "checkpoint_timeout = '15min'"} {
		_, err := conn.Exec(t.Context(), "ALTER SYSTEM SET "+setting)
		must(t, err)
	}
	must(t, conn.Close(t.Context()))
	must(t, configured.Stop(t.Context()))
	cluster, err := embedded.Start(t.Context(), embedded.Config{Dir: dir})
	must(t, err)
	t.Cleanup(func() {
		ctx := context.Background()
		if err := cluster.Stop(ctx); err != nil {
			t.Error(err)
		}
		if err := embedded.Remove(ctx, dir); err != nil {
			t.Error(err)
		}
	})
	must(t, postgres.CreateRoles(t.Context(), cluster.URL("postgres", embedded.Superuser)))
	for _, name := range []string{"empty", "grown"} {
		must(t, cluster.EnsureDatabase(t.Context(), name))
		_, err := postgres.Migrate(t.Context(), cluster.URL(name, embedded.Owner))
		must(t, err)
	}
	return cluster
}

// grower is a program on one of the databases, and a practice of its own that lives the
// same life on both.
type grower struct {
	*app.App
	t          *testing.T
	pool       *pgxpool.Pool // as the serving role
	auditor    *app.Engine
	integrator bearertest.Application
	patient    patient.ID
	member     staff.ID
	client     *http.Client
	since      time.Time // everything of the practice is younger
}

func growing(t *testing.T, cluster *embedded.Server, name string) *grower {
	t.Helper()
	g := &grower{t: t, client: &http.Client{}, since: clock.System().Add(-time.Minute)}
	t.Cleanup(g.client.CloseIdleConnections)
	var err error
	g.App, err = app.New(t.Context(), app.Config{
		DatabaseURL: cluster.URL(name, postgres.AppRole), Listen: "127.0.0.1:0", PrivateListen: "127.0.0.1:0", APIDomain: "frontdesk.test", DefaultTenant: "elm-street",
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MasterKeys: sealing.NewRing(sealing.MasterKey{1}), RateLimit: app.NoLimit, DailyBytes: app.NoLimit,
	})
	must(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = g.Run(ctx) })
	t.Cleanup(func() { stop(); running.Wait() })
	g.auditor, err = app.Open(t.Context(), app.Config{DatabaseURL: cluster.URL(name, postgres.AuditRole), MasterKeys: sealing.NewRing(sealing.MasterKey{1})})
	must(t, err)
	t.Cleanup(g.auditor.Close)
	g.pool, err = postgres.NewPool(t.Context(), cluster.URL(name, postgres.AppRole), 4)
	must(t, err)
	t.Cleanup(g.pool.Close)
	g.furnish()
	return g
}

func (g *grower) furnish() {
	g.t.Helper()
	ctx := g.t.Context()
	var id string
	g.integrator, id = onboard(g.t, g.App)
	must(g.t, g.patient.UnmarshalText([]byte(id)))
	for _, endpoint := range []application.EndpointName{access.CreateNote, access.RetrieveCareRecord} {
		must(g.t, g.Desk.GrantEndpoint(ctx, commands.GrantEndpoint{
			Application: g.integrator.ID, Grant: application.Grant{Endpoint: endpoint, Mode: application.UserRestricted}}))
	}
	var err error
	g.member, err = g.Desk.RegisterStaff(ctx, commands.RegisterStaff{Tenant: "elm-street", Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example"})
	must(g.t, err)
	_, err = g.Desk.GrantUserAuthorisation(ctx, commands.GrantUserAuthorisation{Tenant: "elm-street", Application: g.integrator.ID, Username: "dr.lee"})
	must(g.t, err)
}

// call makes one whole call.
func (g *grower) call(method, path, body string, edits ...bearertest.Edit) error {
	r, err := http.NewRequestWithContext(g.t.Context(), method, g.URL()+"/transactional-api/"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+g.integrator.Token(g.Desk.Now(), edits...))
	return g.ask(r)
}

func (g *grower) ask(r *http.Request) error {
	answer, err := g.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %d %s, %w", answer.StatusCode, text, err)
	}
	return nil
}
