//go:build prove

package audit_test

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/webhooks"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/commands"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

// busyPractice is a program that serves, with a long log and 16 writers.
type busyPractice struct {
	*app.App
	server  *embedded.Server
	vacuum  *pgx.Conn
	patient patient.ID
	site    site.ID
	tables  []string // in which rows die
	unseen  int      // rows that the last VACUUM found dead and not removable
}

func newBusyPractice(t *testing.T) *busyPractice {
	t.Helper()
	b := &busyPractice{server: postgrestest.Cluster(t)}
	service, err := app.New(t.Context(), app.Config{
		DatabaseURL: b.server.URL("frontdesk", "frontdesk_app"), Listen: "127.0.0.1:0", APIDomain: "frontdesk.test", MasterKeys: sealing.NewRing(sealing.MasterKey{1}),
	})
	clitest.Must(t, err)
	b.App = service
	b.connect(t)
	clitest.Must(t, b.Desk.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: "elm-street", Name: "Elm Street"}))
	b.patient, err = b.Desk.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: "elm-street", Name: "Ann Archer"})
	clitest.Must(t, err)
	b.site, err = b.Desk.AddSite(t.Context(), commands.AddSite{Tenant: "elm-street", Name: "Main"})
	clitest.Must(t, err)
	b.fill(t)
	b.background(t, func(ctx context.Context) { _ = service.Run(ctx) })
	for range writers {
		b.background(t, b.write)
	}
	return b
}

func (b *busyPractice) background(t *testing.T, run func(context.Context)) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var group sync.WaitGroup
	group.Go(func() { run(ctx) })
	t.Cleanup(func() { stop(); group.Wait() })
}

// write writes as a practice does all day: five events and many changed rows,
// at once and behind the feed.
func (b *busyPractice) write(ctx context.Context) {
	for ctx.Err() == nil {
		id, err := b.Desk.BookAppointment(ctx, commands.BookAppointment{Tenant: "elm-street", Patient: b.patient, Site: b.site, At: b.Desk.Now()})
		if err == nil {
			err = b.Desk.CallInPatient(ctx, commands.CallInPatient{Tenant: "elm-street", Appointment: id})
		}
		if err == nil {
			_ = b.Desk.MarkDidNotAttend(ctx, commands.MarkDidNotAttend{Tenant: "elm-street", Appointment: id})
		}
	}
}

// fill writes a long log past the store. The consumers have nothing to do with it.
func (b *busyPractice) fill(t *testing.T) {
	t.Helper()
	_, err := b.vacuum.Exec(t.Context(), `
		INSERT INTO events (id, tenant, stream, version, name, patient, data, metadata, recorded_at)
		SELECT gen_random_uuid(), 'elm-street', gen_random_uuid(), 1, 'patient.registered.v1', id,
			json_build_object('patient', id, 'name', 'Patient ' || n, 'birthDate', '1980-02-29'), '{"actor":{"kind":"operator","id":"test"}}', now()
		FROM (SELECT n, gen_random_uuid() AS id FROM generate_series(1, `+strconv.Itoa(longLog)+`) n) patients`)
	clitest.Must(t, err)
	clitest.Must(t, b.Drain(t.Context()))
	names := []string{webhooks.FanOutName}
	for _, p := range projections.Following() {
		names = append(names, p.Name())
	}
	_, err = b.vacuum.Exec(t.Context(), `INSERT INTO feed_offsets (consumer, idx) SELECT unnest($1::text[]), max(idx) FROM log`, names)
	clitest.Must(t, err)
	_, err = b.vacuum.Exec(t.Context(), `VACUUM ANALYZE`)
	clitest.Must(t, err)
}

func (b *busyPractice) head(t *testing.T) int {
	t.Helper()
	head, err := b.Log.Head(t.Context())
	clitest.Must(t, err)
	return int(head)
}

// keepSnapshot is a reader who takes as long in one transaction as an audit
// takes in many.
func (b *busyPractice) keepSnapshot(t *testing.T, events int) {
	reader, err := pgx.Connect(t.Context(), b.server.URL("frontdesk", "frontdesk_audit"))
	if err != nil {
		t.Error(err)
		return
	}
	defer reader.Close(context.Background())
	var head, until int64
	err = reader.QueryRow(t.Context(), `SELECT head + $1 FROM sequencer`, events).Scan(&until)
	if err == nil {
		_, err = reader.Exec(t.Context(), `BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM practices`)
	}
	for err == nil && head < until {
		time.Sleep(10 * time.Millisecond)
		head, err = b.Log.Head(t.Context())
	}
	if err != nil {
		t.Error(err)
	}
}

var notRemovable = regexp.MustCompile(`(\d+) are dead but not yet removable`)

// connect opens the connection that runs VACUUM and reads its notices.
func (b *busyPractice) connect(t *testing.T) {
	t.Helper()
	config, err := pgx.ParseConfig(b.server.URL("frontdesk", embedded.Superuser))
	clitest.Must(t, err)
	config.OnNotice = func(_ *pgconn.PgConn, notice *pgconn.Notice) {
		for _, match := range notRemovable.FindAllStringSubmatch(notice.Message, -1) {
			n, _ := strconv.Atoi(match[1])
			b.unseen += n
		}
	}
	b.vacuum, err = pgx.ConnectConfig(t.Context(), config)
	clitest.Must(t, err)
	t.Cleanup(func() { _ = b.vacuum.Close(context.Background()) })
}

// backlog vacuums every table in which rows have died, and returns how many
// dead ones it had to leave.
func (b *busyPractice) backlog(t *testing.T) int {
	t.Helper()
	rows, _ := b.vacuum.Query(t.Context(), `SELECT quote_ident(relname) FROM pg_stat_user_tables WHERE schemaname = 'public' AND n_tup_upd + n_tup_del > 0`)
	var err error
	b.tables, err = pgx.CollectRows(rows, pgx.RowTo[string])
	clitest.Must(t, err)
	b.unseen = 0
	_, err = b.vacuum.Exec(t.Context(), `VACUUM (VERBOSE) `+strings.Join(b.tables, ", "))
	clitest.Must(t, err)
	return b.unseen
}
