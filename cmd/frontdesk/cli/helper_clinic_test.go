package cli_test

import (
	"net/url"
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

// asRole returns the URL of a database with another role.
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

// actorOf is who caused the last event of a name, as the log has it.
func (c *clinic) actorOf(t *testing.T, name string, args ...string) map[string]any {
	t.Helper()
	found := objects(t, c.audit(t, append([]string{"log", "--json", "--event", name}, args...)...).out)
	if len(found) == 0 {
		t.Fatalf("no %s", name)
	}
	return found[len(found)-1]["actor"].(map[string]any)
}

// listed runs a list, whose first line for people says what the columns are.
func (c *clinic) listed(t *testing.T, line string) outcome {
	t.Helper()
	o := frontdesk(t, append(strings.Fields(line), "--database-url", c.db.URL)...)
	o.wantSuccess(t)
	return o
}
