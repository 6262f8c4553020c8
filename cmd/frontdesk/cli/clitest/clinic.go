package clitest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// Clinic is a database with a short history, and an auditor's way to it.
type Clinic struct {
	DB              *postgrestest.Database
	Auditor         string // a database URL as the role that reads
	App, Ann, Bob   string
	Before, Enabled time.Time
}

// NewClinic makes the history by the desk itself: to read a command line takes longer
// than everything that it does.
func NewClinic(t *testing.T) *Clinic {
	t.Helper()
	c := &Clinic{DB: postgrestest.New(t)}
	c.Auditor = AsRole(t, c.DB.URL, "frontdesk_audit")
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: c.DB.URL, MasterKeys: sealing.NewRing(MasterKey)})
	Must(t, err)
	defer engine.Close()
	operator, err := engine.Operator(t.Context(), "tester@desk")
	Must(t, err)
	ctx, desk := event.WithMetadata(t.Context(), event.Metadata{Actor: operator}), engine.Desk
	Must(t, desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "elm", Name: "Elm Street"}))
	Must(t, desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "oak", Name: "Oak Lane"}))
	lee, err := desk.RegisterStaff(ctx, commands.RegisterStaff{Tenant: "elm", Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example"})
	Must(t, err)
	referrals, err := desk.RegisterApplication(ctx, commands.RegisterApplication{
		Name: "Referrals", JWKSURL: "https://app.example/jwks.json", Callbacks: []string{"https://app.example/cb"},
	})
	Must(t, err)
	ann, err := desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm", Name: "Ann Archer"})
	Must(t, err)
	bob, err := desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm", Name: "Bob Baker"})
	Must(t, err)
	grant := application.Grant{Endpoint: access.CreateNote, Mode: application.UserRestricted}
	Must(t, desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: referrals, Grant: grant}))
	c.Before = desk.Now()
	forLee := event.WithMetadata(ctx, event.Metadata{Actor: operator.ActingFor(lee.UUID)})
	Must(t, desk.EnableApplication(forLee, commands.EnableApplication{Tenant: "elm", Application: referrals}))
	_, err = desk.GrantUserAuthorisation(ctx, commands.GrantUserAuthorisation{Tenant: "elm", Application: referrals, Username: "dr.lee"})
	Must(t, err)
	c.Enabled = desk.Now()
	Must(t, desk.RestrictPatientRecord(ctx, commands.RestrictPatientRecord{Tenant: "elm", Patient: bob, Usernames: []string{"dr.lee"}}))
	_, err = desk.CreateNote(ctx, commands.CreateNote{Tenant: "elm", Patient: ann, Text: "a cough"})
	Must(t, err)
	Must(t, desk.DisableApplication(ctx, commands.DisableApplication{Tenant: "elm", Application: referrals}))
	Must(t, engine.Drain(ctx))
	c.App, c.Ann, c.Bob = referrals.String(), ann.String(), bob.String()
	return c
}

// AsSandbox makes a database one of a sandbox, so that commands may do the work of staff in it.
func AsSandbox(t *testing.T, db *postgrestest.Database) *postgrestest.Database {
	t.Helper()
	_, err := db.AdminPool(t).Exec(t.Context(), fmt.Sprintf(`DO $$ BEGIN EXECUTE format('COMMENT ON DATABASE %%I IS %%L', current_database(), '%s'); END $$`, sandbox.Comment("")))
	Must(t, err)
	return db
}

// AsRole returns the URL of a database with another role.
func AsRole(t *testing.T, database, role string) string {
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

// Audit runs as the auditor.
func (c *Clinic) Audit(t *testing.T, args ...string) Outcome {
	t.Helper()
	o := Frontdesk(t, append([]string{"audit"}, append(args, "--database-url", c.Auditor)...)...)
	if o.Status != 0 {
		t.Fatalf("audit %v: %s", args, o.Err)
	}
	return o
}

// Drain runs the background work of a service once.
func (c *Clinic) Drain(t *testing.T) {
	t.Helper()
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: c.DB.URL, MasterKeys: sealing.NewRing(MasterKey)})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if err := engine.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// ActorOf is who caused the last event of a name, as the log has it.
func (c *Clinic) ActorOf(t *testing.T, name string, args ...string) map[string]any {
	t.Helper()
	found := Objects(t, c.Audit(t, append([]string{"log", "--json", "--event", name}, args...)...).Out)
	if len(found) == 0 {
		t.Fatalf("no %s", name)
	}
	return found[len(found)-1]["actor"].(map[string]any)
}

// Listed runs a list, whose first line for people is the header of the columns.
func (c *Clinic) Listed(t *testing.T, line string) Outcome {
	t.Helper()
	o := Frontdesk(t, append(strings.Fields(line), "--database-url", c.DB.URL)...)
	o.WantSuccess(t)
	return o
}
