package cli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// clinic is a database with a short history, and an auditor's way to it.
type clinic struct {
	db              *postgrestest.Database
	auditor         string // a database URL as the role that reads
	app, ann, bob   string
	before, enabled time.Time
}

// newClinic makes the history by the desk itself: to read a command line takes longer
// than everything that it does.
func newClinic(t *testing.T) *clinic {
	t.Helper()
	c := &clinic{db: postgrestest.New(t)}
	c.auditor = asRole(t, c.db.URL, "frontdesk_audit")
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: c.db.URL, MasterKey: theMasterKey})
	must(t, err)
	defer engine.Close()
	operator, err := engine.Operator(t.Context(), "tester@desk")
	must(t, err)
	ctx, desk := event.WithMetadata(t.Context(), event.Metadata{Actor: operator}), engine.Desk
	must(t, desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "elm", Name: "Elm Street"}))
	must(t, desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "oak", Name: "Oak Lane"}))
	lee, err := desk.RegisterStaff(ctx, commands.RegisterStaff{Tenant: "elm", Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example"})
	must(t, err)
	referrals, err := desk.RegisterApplication(ctx, commands.RegisterApplication{
		Name: "Referrals", JWKSURL: "https://app.example/jwks.json", Callbacks: []string{"https://app.example/cb"},
	})
	must(t, err)
	ann, err := desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm", Name: "Ann Archer"})
	must(t, err)
	bob, err := desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm", Name: "Bob Baker"})
	must(t, err)
	grant := application.Grant{Endpoint: access.CreateNote, Mode: application.UserRestricted}
	must(t, desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: referrals, Grant: grant}))
	c.before = desk.Now()
	forLee := event.WithMetadata(ctx, event.Metadata{Actor: operator.ActingFor(lee.UUID)})
	must(t, desk.EnableApplication(forLee, commands.EnableApplication{Tenant: "elm", Application: referrals}))
	_, err = desk.GrantUserAuthorisation(ctx, commands.GrantUserAuthorisation{Tenant: "elm", Application: referrals, Username: "dr.lee"})
	must(t, err)
	c.enabled = desk.Now()
	must(t, desk.RestrictPatientRecord(ctx, commands.RestrictPatientRecord{Tenant: "elm", Patient: bob, Usernames: []string{"dr.lee"}}))
	_, err = desk.CreateNote(ctx, commands.CreateNote{Tenant: "elm", Patient: ann, Text: "a cough"})
	must(t, err)
	must(t, desk.DisableApplication(ctx, commands.DisableApplication{Tenant: "elm", Application: referrals}))
	must(t, engine.Drain(ctx))
	c.app, c.ann, c.bob = referrals.String(), ann.String(), bob.String()
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func asRole(t *testing.T, database, role string) string {
	t.Helper()
	at, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	query := at.Query()
	at.User = url.User(role)
	if query.Has("user") {
		query.Set("user", role)
		at.RawQuery = query.Encode()
	}
	return at.String()
}

func objects(t *testing.T, lines string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		all = append(all, object)
	}
	return all
}

// audit runs as the auditor.
func (c *clinic) audit(t *testing.T, args ...string) outcome {
	t.Helper()
	o := frontdesk(t, append([]string{"audit"}, append(args, "--database-url", c.auditor)...)...)
	if o.status != 0 {
		t.Fatalf("audit %v: %s", args, o.err)
	}
	return o
}

// drain does what a running service does.
func (c *clinic) drain(t *testing.T) {
	t.Helper()
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: c.db.URL, MasterKey: theMasterKey})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if err := engine.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestReadingOfPatientsIsInTheLog_D37(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.audit(t, "log")                                                                   // nothing personal
	c.audit(t, "log", "--tenant=elm", "--show-personal", "--event", "staff.registered") // recorded
	c.audit(t, "log", "--patient", c.ann)
	c.audit(t, "who-accessed", "--tenant=elm", "--patient", c.bob)
	c.audit(t, "export", "--out", filepath.Join(t.TempDir(), "log"), "--show-personal")
	c.drain(t)
	type reading struct {
		command, tenant string
		count           float64
	}
	want := []reading{{"log", "elm", 1}, {"log", "", 2}, {"who-accessed", "elm", 2}, {"export", "", 13}}
	found := objects(t, c.audit(t, "log", "--json", "--event=audit.queried").out)
	if len(found) != len(want) {
		t.Fatalf("recorded %v", found)
	}
	for n, e := range found {
		data := e["data"].(map[string]any)
		if got := (reading{data["command"].(string), e["tenant"].(string), data["count"].(float64)}); got != want[n] {
			t.Errorf("recorded %+v, want %+v", got, want[n])
		}
		if who := e["actor"].(map[string]any)["id"].(string); who != "frontdesk_audit" {
			t.Errorf("by %s", who)
		}
	}
}

// Where it cannot be recorded, nothing is shown.
func TestAReadingThatCannotBeRecordedShowsNothing_D37(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	if _, err := c.db.AdminPool(t).Exec(t.Context(), `REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM frontdesk_audit`); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"log", "--show-personal"}, {"log", "--patient", c.ann}, {"who-accessed", "--tenant=elm", "--patient", c.ann}} {
		o := frontdesk(t, append([]string{"audit"}, append(args, "--database-url", c.auditor)...)...)
		o.wantFailure(t, 1, "nothing is shown")
		if o.out != "" {
			t.Errorf("%v shows %q", args, o.out)
		}
	}
}

func TestAnExportCanBeChecked(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	file := filepath.Join(t.TempDir(), "elm.ndjson")
	c.audit(t, "export", "--tenant=elm", "--up-to=11", "--out", file)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file + ".manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	manifest := objects(t, string(text))[0]
	sum := sha256.Sum256(data)
	if manifest["sha256"] != hex.EncodeToString(sum[:]) || manifest["count"] != float64(len(objects(t, string(data)))) ||
		manifest["after"] != 0.0 || manifest["upTo"] != 11.0 || manifest["filter"] != "tenant=elm&up-to=11" || manifest["personal"] != false {
		t.Errorf("manifest %s", text)
	}
	if strings.Contains(string(data), "Archer") {
		t.Error("personal data is exported unasked")
	}
	if again := c.audit(t, "log", "--tenant=elm", "--up-to=11", "--json").out; again != string(data) {
		t.Error("an export holds other lines than audit log --json")
	}
}

func TestWhoAccessedAPatientIsListed_D37(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	if _, err := c.db.AdminPool(t).Exec(t.Context(), `
		INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, patient, status, code, reason, token_hash)
		VALUES ('0190c7a2-0000-7000-8000-000000000001', now(), 'elm', $1, 'application-restricted', 'create-note', $2, 403, 'unauthorized', 'no', '\x00'),
			('0190c7a2-0000-7000-8000-000000000002', now(), 'oak', $1, 'application-restricted', 'create-note', $2, 200, '', '', '\x00')`, c.app, c.ann); err != nil {
		t.Fatal(err)
	}
	found := objects(t, c.audit(t, "who-accessed", "--tenant=elm", "--patient", c.ann, "--json").out)
	var what []string
	for _, a := range found {
		what = append(what, a["kind"].(string)+" "+a["what"].(string))
	}
	if got := strings.Join(what, ", "); got != "event patient.registered.v1, event care-record.note-created.v1, call create-note" {
		t.Errorf("listed %s", got)
	}
	if table := c.audit(t, "who-accessed", "--tenant=elm", "--patient", c.ann).out; !strings.Contains(table, "403 no") || strings.Contains(table, "cough") {
		t.Errorf("the table is\n%s", table)
	}
}
