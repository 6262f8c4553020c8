package staffweb_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/httpx"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/postgres/uploads"
	"frontdesk/adapters/staffweb"
	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/patients"
	"frontdesk/adapters/staffweb/requests"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/patientindex"
)

const (
	elm, oak = "elm-street", "oak-lane"
	password = "coffee tin fish"
	callback = "https://app.example/callback"
)

// service is the staff pages of two practices, over a database of their own. Each has a
// dr.lee; dr.may is an administrator of Elm Street.
type service struct {
	*httptest.Server
	*commandtest.Clock
	pages   *staffweb.Pages
	db      *postgrestest.Database
	pool    *pgxpool.Pool
	store   *eventstore.Store
	app     application.ID // enabled at both, with one user-restricted grant
	watched *watched
	looks   *looks
	spoilt  error      // breaks copies off
	log     *signedLog // of every practice
}

func newService(t *testing.T, edits ...func(*staffweb.Pages)) *service {
	t.Helper()
	codec, err := event.NewCodec(domain.Events()...)
	must(t, err)
	db := postgrestest.New(t)
	s := &service{db: db, pool: db.Pool(t), Clock: commandtest.NewClock(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)), watched: &watched{}, looks: &looks{}, log: &signedLog{}}
	opens := postgrestest.Keyring(t, s.pool, codec)
	opens.Now = s.Now
	s.store = &eventstore.Store{DB: postgres.On(s.pool), Codec: codec, Keys: opens, AtOnce: projections.AtOnce(), Now: s.Now}
	directory := projections.Staff{DB: s.pool}
	s.pages = &staffweb.Pages{
		Site: &pagekit.Site{
			Practices: projections.Practices{DB: s.pool},
			Names:     projections.Names{DB: s.pool, Opens: opens},
			Record:    s.looks.record,
			Head:      func(context.Context) (int64, error) { return 1, nil },
			Auth: signin.Service{
				Guesses:   signin.NewGuesses(s.Now),
				Queue:     signin.NewQueue(),
				Tries:     signin.Tries{DB: postgres.On(s.pool), Lockout: time.Minute, Now: s.Now},
				Devices:   signin.Devices{DB: postgres.On(s.pool), Now: s.Now},
				Passwords: passwords{s.pool},
				Passkeys:  signin.Passkeys{DB: postgres.On(s.pool), Challenges: signin.Challenges{Keys: func() [][32]byte { return [][32]byte{{1}} }, Now: s.Now}, Now: s.Now},
				Steps:     signin.Steps{DB: postgres.On(s.pool), Now: s.Now},
				Sessions:  signin.Sessions{DB: postgres.On(s.pool), Idle: 30 * time.Minute, Limit: 12 * time.Hour, Now: s.Now},
				Screens:   signin.Screens{DB: postgres.On(s.pool), Now: s.Now},
			},
			Typed: pagekit.Typed{Keys: func() [][32]byte { return [][32]byte{{2}} }, Now: s.Now},
			Desk: commands.Desk{
				Store: s.store, Staff: directory, Patients: projections.Patients{DB: s.pool}, Links: projections.Links{DB: s.pool}, Passwords: passwords{s.pool},
				Erasures: eventstore.Eraser{Erasures: projections.Erasures{DB: s.pool}, Store: s.store},
				Now:      s.Now, AuthorisationLifetime: 12 * time.Hour,
			},
			InFlight: 16,
			Limit:    20 * time.Second,
			Now:      s.Now,
			RealNow:  s.Now,
			Log:      slog.New(slog.NewJSONHandler(s.watched, nil)),
		},
		DB: s.pool, Opens: opens,
		PatientIndex:   &patientindex.Index{Names: projections.Names{DB: s.pool, Opens: opens}, Now: s.Now},
		Searches:       patients.Searches{DB: postgres.On(s.pool), Now: s.Now},
		Filters:        requests.SavedFilters{DB: postgres.On(s.pool)},
		WhyUndelivered: func(reason string) string { return reason },
		Files:          &uploads.Store{DB: postgres.On(s.pool), Now: s.Now},
		Privacy:        s.guarded(),
		Answers:        s.looks,
	}
	s.pages.Auth.Passkeys.Log = s.pages.Log
	for _, edit := range edits {
		edit(s.pages)
	}
	s.Server = httptest.NewServer(httpx.WriteDeadline(s.pages.Handler()))
	t.Cleanup(s.Close)
	s.open(t)
	return s
}

// looks is the access record of the pages.
type looks struct {
	mu    sync.Mutex
	full  bool // lines are lost
	lines []access.Call
}

func (l *looks) record(line access.Call) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.full {
		l.lines = append(l.lines, line)
	}
	return !l.full
}

// AnswerShown returns the time of the first line with the topic.
func (l *looks) AnswerShown(_ context.Context, tenant, topic string) (time.Time, error) {
	for _, line := range l.all() {
		if line.Tenant == tenant && string(line.Endpoint) == topic {
			return line.At, nil
		}
	}
	return time.Time{}, nil
}

// loses has lines lost from now on, or no longer.
func (l *looks) loses(full bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.full = full
}

// all are the lines until now.
func (l *looks) all() []access.Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

// open registers all members of staff.
func (s *service) open(t *testing.T) {
	t.Helper()
	for tenant, name := range map[string]string{elm: "Elm Street Surgery", oak: "Oak Lane Practice"} {
		must(t, commands.Desk{Store: s.store}.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: tenant, Name: name}))
		s.register(t, tenant, "dr.lee", "Dr Lee", false)
	}
	s.register(t, elm, "dr.may", "Dr May", true)
	s.app = s.registerApplication(t, "Triage Helper", callback, "frontdesk-app://callback", "http://127.0.0.1/callback")
	s.grant(t, s.app)
	for _, tenant := range []string{elm, oak} {
		s.enable(t, tenant, s.app)
	}
}

func (s *service) register(t *testing.T, tenant, username, name string, manager bool) {
	t.Helper()
	var roles staff.Roles
	if manager {
		roles = staff.Roles{staff.Manager}
	}
	_, err := commands.Desk{Store: s.store, Passwords: passwords{s.pool}}.RegisterStaff(t.Context(), commands.RegisterStaff{
		Tenant: tenant, Username: username, Name: name, Email: "staff@practice.example", Roles: roles, Password: password,
	})
	must(t, err)
}

func (s *service) registerApplication(t *testing.T, name string, callbacks ...string) application.ID {
	t.Helper()
	id, err := commands.Desk{Store: s.store, CheckURL: func(string) error { return nil }}.RegisterApplication(t.Context(),
		commands.RegisterApplication{Name: name, JWKSURL: "https://app.example/jwks", Callbacks: callbacks, PatientScoped: true})
	must(t, err)
	return id
}

func (s *service) grant(t *testing.T, app application.ID) {
	t.Helper()
	must(t, commands.Desk{Store: s.store}.GrantEndpoint(t.Context(), commands.GrantEndpoint{
		Application: app, Grant: application.Grant{Endpoint: access.CreatePatientRequest, Mode: application.UserRestricted},
	}))
}

func (s *service) enable(t *testing.T, tenant string, app application.ID) {
	t.Helper()
	must(t, commands.Desk{Store: s.store}.EnableApplication(t.Context(), commands.EnableApplication{Tenant: tenant, Application: app}))
}

func (s *service) disable(t *testing.T, tenant string, app application.ID) {
	t.Helper()
	must(t, commands.Desk{Store: s.store}.DisableApplication(t.Context(), commands.DisableApplication{Tenant: tenant, Application: app}))
}

// granted counts the authorisations that were ever granted.
func (s *service) granted(t *testing.T) (n int) {
	t.Helper()
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE name = 'user-authorisation.granted.v1'`).Scan(&n))
	return n
}

// ask is an application's link to the authorisation page.
func (s *service) ask(tenant, redirect string) string {
	return "/" + tenant + "/staff/authorise?" + url.Values{"app": {s.app.String()}, "redirect": {redirect}}.Encode()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// passwords stores passwords unhashed: hashing is tested in signin.
type passwords struct{ pool *pgxpool.Pool }

func (p passwords) Keep(ctx context.Context, tenant string, member staff.ID, password string) (staff.PasswordSet, error) {
	kept := staff.PasswordSet{Credential: staff.CredentialID{UUID: event.NewID()}}
	_, err := p.pool.Exec(ctx, `INSERT INTO staff_passwords (tenant, staff, credential, hash) VALUES ($1, $2, $3, $4)`,
		tenant, member, kept.Credential, password)
	return kept, err
}

func (p passwords) Discard(ctx context.Context, tenant string, member staff.ID, but staff.CredentialID) error {
	return signin.PasswordStore{DB: postgres.On(p.pool)}.Discard(ctx, tenant, member, but)
}

func (p passwords) Check(ctx context.Context, tenant, username, typed string) (holder signin.Holder, right bool, err error) {
	var kept string
	err = p.pool.QueryRow(ctx, `
		SELECT s.staff, s.credential, p.hash FROM staff s JOIN staff_passwords p ON p.tenant = s.tenant AND p.credential = s.credential
		WHERE s.tenant = $1 AND convert_to(s.username, 'UTF8') = $2 AND s.active`, tenant, []byte(username)).
		Scan(&holder.Staff, &holder.Credential, &kept)
	if errors.Is(err, pgx.ErrNoRows) {
		return holder, false, nil
	}
	return holder, err == nil && typed == kept, err
}

// watched collects the log.
type watched struct {
	mu   sync.Mutex
	text strings.Builder
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// waitForLog waits until the log contains a text.
func (s *service) waitForLog(t *testing.T, text string) {
	t.Helper()
	clocktest.Eventually(t, func() bool { return strings.Contains(s.watched.String(), text) }, "%q in the log", text)
}

// scoped sets up a patient-scoped authorisation, as the service does (§5.5).
func (s *service) scoped(ctx context.Context, t *testing.T, tenant, username string) {
	t.Helper()
	id, err := commands.Desk{Store: s.store, Now: s.Now}.RegisterPatient(ctx, commands.RegisterPatient{Tenant: tenant, Name: "Ann Archer"})
	must(t, err)
	_, err = commands.Desk{
		Store: s.store, Staff: projections.Staff{DB: s.pool}, Now: s.Now, AuthorisationLifetime: 12 * time.Hour,
	}.GrantPatientScopedAuthorisation(ctx, commands.GrantPatientScopedAuthorisation{Tenant: tenant, Application: s.app, Username: username, Patient: id})
	must(t, err)
}
