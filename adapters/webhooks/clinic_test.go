package webhooks_test

import (
	"context"
	"database/sql"
	"log/slog"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/signing"
	"frontdesk/adapters/webhooks"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/signingkey"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

const tenant = "elm-street"

// clinic is a practice with one day of events, in a database of its own, and the parts
// that notify applications.
type clinic struct {
	t             testing.TB
	url, adminURL string
	pool          *pgxpool.Pool
	db            *sql.DB
	codec         *event.Codec
	keys          *keyring.Keyring
	store         *eventstore.Store
	clock         *commandtest.Clock
	ages          webhooks.Ages

	patient patient.ID
	member  staff.ID
	site    site.ID
	room    site.RoomID
	kid     signingkey.KID

	fannedOut int64 // idx
}

var master = sealing.MasterKey{1, 2, 3}

func newClinic(t testing.TB) *clinic {
	t.Helper()
	db := postgrestest.New(t)
	c := clinicOn(t, db.URL)
	c.adminURL = db.AdminURL
	c.found()
	return c
}

// clinicOn is the clinic of a database, without anything in it yet.
func clinicOn(t testing.TB, url string) *clinic {
	t.Helper()
	pool, err := postgres.NewPool(context.WithoutCancel(t.Context()), url, 6)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	codec, err := event.NewCodec(domain.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	c := &clinic{t: t, url: url, pool: pool, codec: codec, clock: commandtest.NewClock(commandtest.Noon), db: stdlib.OpenDBFromPool(pool),
		ages: webhooks.Ages{CallIn: webhooks.DefaultCallInAge, Other: webhooks.DefaultAge}}
	t.Cleanup(func() { _ = c.db.Close() })
	c.keys = &keyring.Keyring{DB: postgres.On(pool), Codec: codec, Masters: sealing.NewRing(master)}
	must(t, c.keys.Start(t.Context()))
	c.store = &eventstore.Store{DB: postgres.On(pool), Codec: codec, Keys: c.keys, AtOnce: projections.AtOnce(), Now: c.clock.Now}
	return c
}

// found creates the clinic's people and places, and an active signing key.
func (c *clinic) found() {
	c.t.Helper()
	ctx := c.t.Context()
	must(c.t, commands.Desk{Store: c.store}.RegisterPractice(ctx, commands.RegisterPractice{Tenant: tenant, Name: "Elm Street"}))
	c.patient = c.newPatient("Ann Archer")
	var err error
	c.member, err = commands.Desk{Store: c.store}.RegisterStaff(ctx, commands.RegisterStaff{
		Tenant: tenant, Username: "sam", Name: "Dr Sam Taylor", Email: "sam@elm.example"})
	must(c.t, err)
	c.site, err = commands.Desk{Store: c.store}.AddSite(ctx, commands.AddSite{Tenant: tenant, Name: "Main building"})
	must(c.t, err)
	c.room, err = commands.Desk{Store: c.store}.AddRoom(ctx, commands.AddRoom{Tenant: tenant, Site: c.site, Name: "Room 1"})
	must(c.t, err)
	c.kid = c.stageKey()
	c.activateKey(c.kid)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (c *clinic) newPatient(name string) patient.ID {
	c.t.Helper()
	id, err := commands.Desk{Store: c.store, Now: c.clock.Now}.RegisterPatient(c.t.Context(), commands.RegisterPatient{Tenant: tenant, Name: name})
	must(c.t, err)
	return id
}

func (c *clinic) vault() signing.Vault {
	return signing.Vault{DB: c.pool, Masters: sealing.NewRing(master), Now: c.clock.Now}
}

func (c *clinic) stageKey() signingkey.KID {
	c.t.Helper()
	kid, err := commands.Desk{Store: c.store, Vault: c.vault(), Now: c.clock.Now}.StageSigningKey(c.t.Context())
	must(c.t, err)
	return kid
}

func (c *clinic) activateKey(kid signingkey.KID) {
	c.t.Helper()
	must(c.t, commands.Desk{Store: c.store, Vault: c.vault(), Now: c.clock.Now}.
		ActivateSigningKey(c.t.Context(), commands.ActivateSigningKey{KID: kid}))
}

// application registers and enables an application with webhooks of these kinds to url;
// of all kinds if none is given.
func (c *clinic) application(url string, kinds ...application.WebhookEvent) application.ID {
	c.t.Helper()
	anyURL := func(string) error { return nil }
	id, err := commands.Desk{Store: c.store, CheckURL: anyURL}.RegisterApplication(c.t.Context(),
		commands.RegisterApplication{Name: "Integrator", JWKSURL: "https://app.example/jwks"})
	must(c.t, err)
	if len(kinds) == 0 {
		kinds = application.WebhookEvents()
	}
	for _, kind := range kinds {
		c.setWebhook(id, kind, url)
	}
	must(c.t, commands.Desk{Store: c.store}.EnableApplication(c.t.Context(), commands.EnableApplication{Tenant: tenant, Application: id}))
	return id
}

func (c *clinic) setWebhook(id application.ID, kind application.WebhookEvent, url string) {
	c.t.Helper()
	must(c.t, commands.Desk{Store: c.store, CheckURL: func(string) error { return nil }}.SetWebhook(c.t.Context(),
		commands.SetWebhook{Application: id, Event: kind, URL: url}))
}

// by returns a context with this actor.
func (c *clinic) by(actor event.Actor) context.Context {
	return event.WithMetadata(c.t.Context(), event.Metadata{Actor: actor})
}

func (c *clinic) openRecord(ctx context.Context, about patient.ID) {
	c.t.Helper()
	patients := projections.Patients{DB: c.pool}
	must(c.t, commands.Desk{Store: c.store, Patients: patients}.OpenCareRecord(ctx,
		commands.OpenCareRecord{Tenant: tenant, Patient: about}))
}

func (c *clinic) startConsultation(ctx context.Context, with appointment.ID) {
	c.t.Helper()
	handler := commands.Desk{Store: c.store, Patients: projections.Patients{DB: c.pool}, Now: c.clock.Now}
	_, err := handler.StartConsultation(ctx, commands.StartConsultation{Tenant: tenant, Patient: c.patient, Appointment: with})
	must(c.t, err)
}

func (c *clinic) book() appointment.ID {
	c.t.Helper()
	id, err := commands.Desk{Store: c.store, Patients: projections.Patients{DB: c.pool}}.BookAppointment(c.t.Context(),
		commands.BookAppointment{Tenant: tenant, Patient: c.patient, Site: c.site, At: c.clock.Now()})
	must(c.t, err)
	return id
}

func (c *clinic) callIn(id appointment.ID, room site.RoomID) {
	c.t.Helper()
	must(c.t, commands.Desk{Store: c.store, Now: c.clock.Now}.CallInPatient(c.t.Context(),
		commands.CallInPatient{Tenant: tenant, Appointment: id, Room: room}))
}

func (c *clinic) clearCallIn(id appointment.ID) {
	c.t.Helper()
	must(c.t, commands.Desk{Store: c.store, Now: c.clock.Now}.ClearCallIn(c.t.Context(),
		commands.ClearCallIn{Tenant: tenant, Appointment: id}))
}

// silent wakes no sender.
type silent struct{}

func (silent) Notify() {}

func (c *clinic) fanOutHandler() webhooks.FanOut {
	return webhooks.FanOut{
		Ages: c.ages, Queued: silent{}, Now: c.clock.Now,
	}
}

// consumer runs the fan-out of a process.
func (c *clinic) consumer(f webhooks.FanOut, grown *background.Broadcast) *eventstore.Consumer {
	return &eventstore.Consumer{
		Name: webhooks.FanOutName, DB: c.db, Tail: eventstore.NewTail(c.pool, c.codec, grown),
		Handler: f.Handle, Alone: f.HandleAlone, Follows: f.Follows(), Log: slog.New(slog.DiscardHandler),
	}
}

// fanOut sequences and fans out the new events, one transaction for each event, as the
// feed does.
func (c *clinic) fanOut() {
	c.t.Helper()
	log := slog.New(slog.DiscardHandler)
	must(c.t, eventstore.NewSequencer(c.pool, &background.Broadcast{}, &background.Broadcast{}, log).Drain(c.t.Context()))
	for e, err := range (eventstore.Log{DB: c.pool, Codec: c.codec}).After(c.t.Context(), c.fannedOut) {
		must(c.t, err)
		c.handle(e)
		c.fannedOut = e.Idx
	}
}

func (c *clinic) handle(e event.Recorded) {
	c.t.Helper()
	tx, err := c.pool.Begin(c.t.Context())
	must(c.t, err)
	defer func() { _ = tx.Rollback(c.t.Context()) }()
	must(c.t, c.fanOutHandler().HandleAlone(c.t.Context(), tx.Conn(), []event.Recorded{e}))
	must(c.t, tx.Commit(c.t.Context()))
}

// refusesDeliveries makes the database permanently refuse every delivery.
func (c *clinic) refusesDeliveries() error {
	admin, err := postgres.NewPool(c.t.Context(), c.adminURL, 0)
	if err != nil {
		return err
	}
	defer admin.Close()
	_, err = admin.Exec(c.t.Context(), `ALTER TABLE deliveries ADD CONSTRAINT no_deliveries CHECK (false)`)
	return err
}

func (c *clinic) admin() *pgxpool.Pool {
	c.t.Helper()
	admin, err := postgres.NewPool(c.t.Context(), c.adminURL, 0)
	must(c.t, err)
	c.t.Cleanup(admin.Close)
	return admin
}

// runUntilCleanup runs work until the test ends, and waits for it.
func runUntilCleanup(t testing.TB, run func(context.Context)) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
}

func (c *clinic) enable(id application.ID) {
	c.t.Helper()
	must(c.t, commands.Desk{Store: c.store}.EnableApplication(c.t.Context(), commands.EnableApplication{Tenant: tenant, Application: id}))
}

func (c *clinic) retireKey(kid signingkey.KID) {
	c.t.Helper()
	must(c.t, commands.Desk{Store: c.store, Vault: c.vault(), Now: c.clock.Now}.
		RetireSigningKey(c.t.Context(), commands.RetireSigningKey{KID: kid}))
}
