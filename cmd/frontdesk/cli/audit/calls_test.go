package audit_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

var (
	callsApp = application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-000000000011")}
	callsAnn = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")}
	callsAt  = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
)

// called is a database in which a ping was allowed, a member of staff, Dr Lee,
// was refused, and a note was written about Ann for Dr Zoë: oldest call first.
func called(t *testing.T) (auditor []string, db *postgrestest.Database, ids []string) {
	t.Helper()
	db = postgrestest.New(t)
	call := func(change func(*access.Call)) access.Call {
		c := access.Call{
			RequestID: event.NewID(), At: callsAt, Tenant: "elm", Application: callsApp, Mode: application.ApplicationRestricted,
			Endpoint: access.Ping, Status: 200,
		}
		change(&c)
		ids = append(ids, c.RequestID.String())
		return c
	}
	lee := registered(t, db)
	record(t, db,
		call(func(*access.Call) {}),
		call(func(c *access.Call) {
			c.Tenant, c.Mode, c.Staff, c.Status, c.Code, c.Reason = "elm", application.UserRestricted, lee, 403, "unauthorized", "The app is not authorised"
		}),
		call(func(c *access.Call) {
			c.At, c.Endpoint, c.Patient, c.Agent = callsAt.Add(time.Hour), access.CreateNote, callsAnn, "curl/8.5.0"
			c.Act = &event.OnBehalfOf{Practitioner: event.Practitioner{Name: "Dr Zoë"}, Organisation: event.Organisation{Name: "Oak Lane"}, Role: "GP", Purpose: "TREAT"}
		}))
	url := strings.Replace(db.URL, "frontdesk_app", "frontdesk_audit", 1)
	return []string{"audit", "calls", "--database-url", url}, db, ids
}

func registered(t *testing.T, db *postgrestest.Database) staff.ID {
	t.Helper()
	for _, args := range [][]string{
		{"practice", "register", "--database-url", db.URL, "--tenant=elm", "--name=Elm"},
		{"staff", "register", "--database-url", db.URL, "--tenant=elm", "--username=dr.lee", "--name=Dr Lee", "--email=lee@elm.example", "--json"},
	} {
		o := clitest.Frontdesk(t, args...)
		if o.Status != 0 {
			t.Fatal(o.Err)
		}
		var made struct{ StaffID staff.ID }
		if json.Unmarshal([]byte(o.Out), &made) == nil {
			return made.StaffID
		}
	}
	t.Fatal("nobody was registered")
	return staff.ID{}
}

func record(t *testing.T, db *postgrestest.Database, calls ...access.Call) {
	t.Helper()
	pool := db.Pool(t)
	recorder := accesslog.NewRecorder(pool, prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	recorder.Keys = &keyring.Keyring{DB: postgres.On(pool), Masters: sealing.NewRing(clitest.MasterKey)}
	if err := recorder.Keys.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		recorder.Record(c)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	recorder.Run(ended)
}

// requestsOf are the request ids in lines of JSON.
func requestsOf(t *testing.T, o clitest.Outcome) (ids []string) {
	t.Helper()
	if o.Status != 0 {
		t.Fatal(o.Err)
	}
	for line := range strings.Lines(o.Out) {
		var call struct{ RequestID string }
		if err := json.Unmarshal([]byte(line), &call); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		ids = append(ids, call.RequestID)
	}
	return ids
}

func TestCallsAreListedNewestFirst_D37(t *testing.T) {
	t.Parallel()
	list, _, ids := called(t)
	for args, want := range map[string][]string{
		"":                                   {ids[2], ids[1], ids[0]},
		"--limit=2":                          {ids[2], ids[1]},
		"--limit=2 --before=" + ids[1]:       {ids[0]},
		"--request=" + ids[1]:                {ids[1]},
		"--outcome=refused":                  {ids[1]},
		"--endpoint=create-note":             {ids[2]},
		"--tenant=elm --user=dr.lee":         {ids[1]},
		"--tenant=elm --staff=dr.lee":        {ids[1]},
		"--patient=" + callsAnn.String():     {ids[2]},
		"--application=" + callsAnn.String(): nil,
		"--since=2026-03-02T12:00:00.001Z":   {ids[2]},
		"--until=2026-03-02T12:00:00.001Z":   {ids[1], ids[0]},
		"--tenant=oak":                       nil,
	} {
		got := requestsOf(t, clitest.Frontdesk(t, append(append(slices.Clone(list), "--json"), strings.Fields(args)...)...))
		if !slices.Equal(got, want) {
			t.Errorf("%q lists %v, want %v", args, got, want)
		}
	}
}

func TestALineOfTheAccessRecordIsOneObject_D37(t *testing.T) {
	t.Parallel()
	list, _, ids := called(t)
	o := clitest.Frontdesk(t, append(list, "--json", "--outcome=allowed", "--limit=1")...)
	want := `{"requestId":"` + ids[2] + `","at":"2026-03-02T13:00:00Z","tenant":"elm","application":"` + callsApp.String() + `",` +
		`"mode":"application-restricted","endpoint":"create-note","patient":"` + callsAnn.String() + `","status":200,` +
		`"act":{"practitioner":{"name":"[personal]","email":""},"organisation":{"name":"Oak Lane"},"role":"GP","purpose":"TREAT"},` +
		`"tokenHash":"` + strings.Repeat("0", 64) + `","idx":3,"outcome":"allowed","userAgent":"curl/8.5.0"}` + "\n"
	if o.Out != want {
		t.Errorf("the line is\n%s%s, want\n%s", o.Out, o.Err, want)
	}
}

func TestTableOfCallsShowsNoNames_D37(t *testing.T) {
	t.Parallel()
	list, _, ids := called(t)
	o := clitest.Frontdesk(t, list...)
	lines := strings.Split(strings.TrimSpace(o.Out), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "AT") || !strings.Contains(lines[1], ids[2]) ||
		!strings.Contains(lines[1], "  curl/8.5.0  ") || !strings.Contains(lines[1], "[personal], Oak Lane (GP; TREAT)") || !strings.Contains(lines[2], "The app is not authorised") {
		t.Errorf("the table is\n%s%s", o.Out, o.Err)
	}
	if strings.Contains(o.Out, "Zoë") {
		t.Error("a name is shown")
	}
	if o := clitest.Frontdesk(t, append(list, "--show-personal")...); !strings.Contains(o.Out, "Dr Zoë, Oak Lane") {
		t.Errorf("the name is not shown: %s%s", o.Out, o.Err)
	}
}

func TestReadingAPatientsCallsIsRecorded_D37(t *testing.T) {
	t.Parallel()
	list, db, _ := called(t)
	for _, args := range [][]string{{}, {"--outcome=refused"}, {"--patient=" + callsAnn.String()}, {"--show-personal"}, {"--patient=" + callsApp.String()}} {
		if o := clitest.Frontdesk(t, append(slices.Clone(list), args...)...); o.Status != 0 {
			t.Fatal(o.Err)
		}
	}
	var readings, counted int
	err := db.Pool(t).QueryRow(t.Context(), `SELECT count(*), sum((data::json->>'count')::int) FROM events
		WHERE name = 'audit.queried.v1' AND data::json->>'command' = 'calls'`).Scan(&readings, &counted)
	if err != nil || readings != 3 || counted != 4 {
		t.Errorf("%d readings of %d calls are recorded, %v; want that of the patient's, of all names, and of a patient whom no call named", readings, counted, err)
	}
}

func TestCallsThatCannotBeListed(t *testing.T) {
	t.Parallel()
	list, _, _ := called(t)
	clitest.Frontdesk(t, append(slices.Clone(list), "--limit=0")...).WantFailure(t, 1, "invalid-limit", "--before")
	clitest.Frontdesk(t, append(slices.Clone(list), "--user=dr.lee")...).WantFailure(t, 1, "--tenant")
	clitest.Frontdesk(t, append(slices.Clone(list), "--tenant=elm", "--user=dr.who")...).WantFailure(t, 1, "unknown-staff")
	clitest.Frontdesk(t, append(slices.Clone(list), "--outcome=odd")...).WantFailure(t, 2, "allowed")
	clitest.Frontdesk(t, append(slices.Clone(list), "--since=yesterday")...).WantFailure(t, 2, "since")
}
