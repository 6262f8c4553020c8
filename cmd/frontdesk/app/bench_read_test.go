package app_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

const (
	readers          = 8 // as many members of staff, each in a session
	readPatients     = 64
	readRequests     = 1000 // of which one in 40 is new, and one in 40 open
	readNotes        = 640
	readAppointments = 100 // today, at one site
)

// BenchmarkRead compares the most frequent reads, care records by applications and inbox and
// day by members of staff, with a bare handler that answers with one row. It measures first
// without statistics of the tables, as after a restore, and then with them.
func BenchmarkRead(b *testing.B) {
	service, integrator, _ := serving(b)
	_, err := service.admin.Exec(b.Context(), `ALTER SYSTEM SET autovacuum = off`)
	must(b, err)
	_, err = service.admin.Exec(b.Context(), `SELECT pg_reload_conf()`)
	must(b, err)
	p := furnish(b, service, integrator)
	floor := httptest.NewServer(bareRow(b, service.admin))
	b.Cleanup(floor.Close)
	reads := map[string]struct {
		integrator *bearertest.Application
		calls      []call
	}{"care record": {&integrator, p.records()}, "inbox": {nil, p.pages("requests")}, "day": {nil, p.pages("day?site=" + p.site.String())}}
	for _, statistics := range []string{"without statistics", "with statistics"} {
		if statistics == "with statistics" {
			_, err := service.admin.Exec(b.Context(), `VACUUM ANALYZE`)
			must(b, err)
		}
		for _, name := range []string{"care record", "inbox", "day"} {
			b.Run(name+"/"+statistics, func(b *testing.B) {
				benchtest.Comparison{
					Ratio:   "of-row",
					Floor:   newCrowd(b, readers, nil, call{Method: http.MethodGet, URL: floor.URL}).rate("rows/s", 0),
					Rate:    newCrowd(b, readers, reads[name].integrator, reads[name].calls...).rate("reads/s", 0),
					Cluster: benchtest.ClusterOf(b, service.admin),
				}.Run(b)
			})
		}
	}
}

// furnished is a practice with something to read.
type furnished struct {
	url      string
	patients []patient.ID
	sessions []string
	site     site.ID
}

func furnish(b *testing.B, service running, integrator bearertest.Application) *furnished {
	b.Helper()
	ctx, desk := b.Context(), service.Desk
	f := &furnished{url: service.URL()}
	grant := application.Grant{Endpoint: access.RetrieveCareRecord, Mode: application.ApplicationRestricted}
	must(b, desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: integrator.ID, Grant: grant}))
	var err error
	f.site, err = desk.AddSite(ctx, commands.AddSite{Tenant: "elm-street", Name: "High Street"})
	must(b, err)
	for range readPatients {
		id, err := desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm-street", Name: "Ann Archer", BirthDate: "1980-02-29"})
		must(b, err)
		f.patients = append(f.patients, id)
	}
	// A practice has thousands of patients; of most of them, nothing is read.
	_, err = service.admin.Exec(ctx, `INSERT INTO patients (tenant, patient) SELECT 'elm-street', gen_random_uuid() FROM generate_series(1, 8000)`)
	must(b, err)
	zone, err := time.LoadLocation(practice.DefaultTimeZone)
	must(b, err)
	year, month, day := desk.Now().In(zone).Date()
	for n := range readAppointments {
		at := time.Date(year, month, day, 8, 5*n, 0, 0, zone)
		_, err := desk.BookAppointment(ctx, commands.BookAppointment{Tenant: "elm-street", Patient: f.patient(n), Site: f.site, At: at})
		must(b, err)
	}
	members := f.signIn(b, service)
	f.write(b, service, members)
	return f
}

func (f *furnished) patient(n int) patient.ID { return f.patients[n*13%len(f.patients)] }

// signIn begins a session of each of the readers, past their passwords.
func (f *furnished) signIn(b *testing.B, service running) (members []staff.ID) {
	b.Helper()
	sessions := signin.Sessions{DB: postgres.On(service.admin), Idle: time.Hour, Limit: time.Hour, Now: clock.System}
	for range readers {
		id, err := service.Desk.RegisterStaff(b.Context(), commands.RegisterStaff{
			Tenant: "elm-street", Username: "user-" + uuid.NewString(), Name: "User", Email: "user@elm.example", Roles: staff.Roles{staff.Receptionist}, Password: "coffee tin fish",
		})
		must(b, err)
		holder := signin.Holder{Staff: id}
		must(b, service.admin.QueryRow(b.Context(), `SELECT credential FROM staff WHERE staff = $1`, id).Scan(&holder.Credential))
		token, _, err := sessions.Begin(b.Context(), "elm-street", holder, "a benchmark")
		must(b, err)
		f.sessions, members = append(f.sessions, token), append(members, id)
	}
	return members
}

// write appends requests and notes, and waits until the inbox shows them.
func (f *furnished) write(b *testing.B, service running, members []staff.ID) {
	b.Helper()
	var changes []event.Change
	for n := range readRequests {
		events := []event.Event{request.Submitted{
			Patient: f.patient(n), Type: request.Medical, Requester: request.ByPatient, HighPriority: n%50 == 0,
			Response: []request.Answer{{Question: "description", Answer: "My back has hurt since Monday, and nothing helps."}},
		}}
		if n%40 != 0 {
			events = append(events, request.Taken{Patient: f.patient(n), By: members[n%len(members)]})
		}
		if n%40 > 1 {
			events = append(events, request.Completed{Patient: f.patient(n), By: members[n%len(members)], Outcome: request.Replied, Text: "We have called."})
		}
		changes = append(changes, event.Change{Stream: request.StreamOf("elm-street", request.ID{UUID: event.NewID()}), Events: events})
	}
	for n := range readNotes {
		id := record.NoteID{UUID: event.NewID()}
		changes = append(changes, event.Change{Stream: record.NoteStreamOf("elm-street", id), Events: []event.Event{
			record.NoteCreated{Note: id, Patient: f.patient(n), Text: "It hurts when I laugh."}}})
	}
	for len(changes) > 0 {
		next := changes[:min(20, len(changes))]
		changes = changes[len(next):]
		_, err := service.Desk.Store.Append(b.Context(), next...)
		must(b, err)
	}
	clocktest.Eventually(b, func() bool {
		var shown, notes int
		err := service.admin.QueryRow(context.WithoutCancel(b.Context()),
			`SELECT (SELECT count(*) FROM inbox), (SELECT count(*) FROM timeline WHERE kind = 'note')`).Scan(&shown, &notes)
		return err == nil && shown == readRequests && notes == readNotes
	}, "requests and notes are shown")
}

func (f *furnished) records() (calls []call) {
	for _, id := range f.patients {
		calls = append(calls, call{Method: http.MethodGet, URL: f.url + "/transactional-api/retrieve-care-record?patientId=" + id.String(), Host: "elm-street.frontdesk.test"})
	}
	return calls
}

func (f *furnished) pages(path string) (calls []call) {
	for _, token := range f.sessions {
		calls = append(calls, call{Method: http.MethodGet, URL: f.url + "/elm-street/staff/" + path, Cookie: "frontdesk-elm-street=" + token})
	}
	return calls
}

// bareRow answers with a row that it finds by its key.
func bareRow(b *testing.B, pool *pgxpool.Pool) http.Handler {
	b.Helper()
	id := uuid.New()
	_, err := pool.Exec(b.Context(), `CREATE TABLE bare_rows (id uuid PRIMARY KEY, body text NOT NULL)`)
	must(b, err)
	_, err = pool.Exec(b.Context(), `INSERT INTO bare_rows SELECT $1, repeat('It hurts when I laugh. ', 40)`, id)
	must(b, err)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body string
		if err := pool.QueryRow(r.Context(), `SELECT body FROM bare_rows WHERE id = $1`, id).Scan(&body); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = w.Write([]byte(body))
	})
}
