package staffweb_test

import (
	"context"
	"errors"
	"html"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/staffweb"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

const (
	elm, oak = "elm-street", "oak-lane"
	password = "coffee tin fish"
	callback = "https://app.example/callback"
)

// service is the staff pages of two practices, over a database of their own.
// Each has a dr.lee; dr.may is an administrator of Elm Street.
type service struct {
	*httptest.Server
	*commandtest.Clock
	pages   *staffweb.Pages
	pool    *pgxpool.Pool
	store   *postgres.Store
	app     application.ID // enabled at both, with one user-restricted grant
	watched *watched
}

func newService(t *testing.T, edits ...func(*staffweb.Pages)) *service {
	t.Helper()
	codec, err := event.NewCodec(domain.Events()...)
	must(t, err)
	s := &service{pool: postgrestest.New(t).Pool(t), Clock: commandtest.NewClock(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)), watched: &watched{}}
	s.store = &postgres.Store{DB: postgres.On(s.pool), Codec: codec, AtOnce: projections.AtOnce(), Now: s.Now}
	directory := projections.Staff{DB: s.pool}
	s.pages = &staffweb.Pages{
		Signposts: projections.Signposts{DB: s.pool},
		Approvals: projections.Approvals{DB: s.pool},
		Given:     projections.GivenAuthorisations{DB: s.pool},
		Desk: signin.Desk{
			Tries:     signin.Tries{DB: postgres.On(s.pool), Lockout: time.Minute, Now: s.Now},
			Passwords: passwords{s.pool},
			Sessions:  signin.Sessions{DB: postgres.On(s.pool), Idle: 30 * time.Minute, Limit: 12 * time.Hour, Now: s.Now},
		},
		Grant:    commands.GrantUserAuthorisationHandler{Store: s.store, Staff: directory, Now: s.Now, Lifetime: 12 * time.Hour},
		Revoke:   commands.RevokeUserAuthorisationHandler{Store: s.store, Staff: directory, Now: s.Now},
		Fault:    postgres.Fault,
		InFlight: 16,
		Limit:    20 * time.Second,
		Now:      s.Now,
		Log:      slog.New(slog.NewJSONHandler(s.watched, nil)),
	}
	for _, edit := range edits {
		edit(s.pages)
	}
	s.Server = httptest.NewServer(s.pages.Handler())
	t.Cleanup(s.Close)
	s.open(t)
	return s
}

// open registers everybody.
func (s *service) open(t *testing.T) {
	t.Helper()
	for tenant, name := range map[string]string{elm: "Elm Street Surgery", oak: "Oak Lane Practice"} {
		must(t, commands.RegisterPracticeHandler{Store: s.store}.Handle(t.Context(), commands.RegisterPractice{Tenant: tenant, Name: name}))
		s.register(t, tenant, "dr.lee", "Dr Lee", false)
	}
	s.register(t, elm, "dr.may", "Dr May", true)
	s.app = s.registerApplication(t, "Triage Helper", callback, "frontdesk-app://callback", "http://127.0.0.1/callback")
	s.grant(t, s.app)
	for _, tenant := range []string{elm, oak} {
		s.enable(t, tenant, s.app)
	}
}

func (s *service) register(t *testing.T, tenant, username, name string, administrator bool) {
	t.Helper()
	_, err := commands.RegisterStaffHandler{Store: s.store, Passwords: passwords{s.pool}}.Handle(t.Context(), commands.RegisterStaff{
		Tenant: tenant, Username: username, Name: name, Email: "staff@practice.example", Administrator: administrator, Password: password,
	})
	must(t, err)
}

func (s *service) registerApplication(t *testing.T, name string, callbacks ...string) application.ID {
	t.Helper()
	id, err := commands.RegisterApplicationHandler{Store: s.store, CheckURL: func(string) error { return nil }}.Handle(t.Context(),
		commands.RegisterApplication{Name: name, JWKSURL: "https://app.example/jwks", Callbacks: callbacks, PatientScoped: true})
	must(t, err)
	return id
}

func (s *service) grant(t *testing.T, app application.ID) {
	t.Helper()
	must(t, commands.GrantEndpointHandler{Store: s.store}.Handle(t.Context(), commands.GrantEndpoint{
		Application: app, Grant: application.Grant{Endpoint: application.CreatePatientRequest, Mode: application.UserRestricted},
	}))
}

func (s *service) enable(t *testing.T, tenant string, app application.ID) {
	t.Helper()
	must(t, commands.EnableApplicationHandler{Store: s.store}.Handle(t.Context(), commands.EnableApplication{Tenant: tenant, Application: app}))
}

func (s *service) disable(t *testing.T, tenant string, app application.ID) {
	t.Helper()
	must(t, commands.DisableApplicationHandler{Store: s.store}.Handle(t.Context(), commands.DisableApplication{Tenant: tenant, Application: app}))
}

// granted counts the authorisations that were ever granted.
func (s *service) granted(t *testing.T) (n int) {
	t.Helper()
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE name = 'user-authorisation.granted.v1'`).Scan(&n))
	return n
}

// ask is the link with which an application sends the browser.
func (s *service) ask(tenant, redirect string) string {
	return "/" + tenant + "/staff/authorise?" + url.Values{"app": {s.app.String()}, "redirect": {redirect}}.Encode()
}

// browser keeps cookies and follows no redirect.
type browser struct {
	t       *testing.T
	service *service
	client  *http.Client
	header  http.Header // sent with every request
}

func (s *service) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	return &browser{t, s, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, http.Header{}}
}

// seen is what a browser was answered.
type seen struct {
	*http.Response
	body string
}

func (b *browser) do(method, path string, form url.Values) seen {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), method, b.service.URL+path, strings.NewReader(form.Encode()))
	must(b.t, err)
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	maps.Copy(request.Header, b.header)
	answer, err := b.client.Do(request)
	must(b.t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(b.t, err)
	return seen{answer, string(body)}
}

func (b *browser) get(path string) seen { b.t.Helper(); return b.do(http.MethodGet, path, nil) }

func (b *browser) post(path string, form url.Values) seen {
	b.t.Helper()
	return b.do(http.MethodPost, path, form)
}

func (b *browser) signIn(tenant, username string) seen {
	b.t.Helper()
	answer := b.post("/"+tenant+"/staff/sign-in", url.Values{"username": {username}, "password": {password}})
	if answer.StatusCode != http.StatusSeeOther {
		b.t.Fatalf("%s was not signed in: %s\n%s", username, answer.Status, answer.body)
	}
	return answer
}

// form is the hidden fields of the page's form for an action, and a decision.
func (s seen) form(t *testing.T, action string) url.Values {
	t.Helper()
	_, rest, found := strings.Cut(s.body, `action="`+action+`"`)
	if !found {
		t.Fatalf("%s: no form for %s:\n%s", s.Request.URL, action, s.body)
	}
	rest, _, _ = strings.Cut(rest, "</form>")
	form := url.Values{}
	for _, field := range hidden.FindAllStringSubmatch(rest, -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	return form
}

var hidden = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)

// approval is the form that approves, as the page at path has it.
func (b *browser) approval(tenant, redirect string) url.Values {
	b.t.Helper()
	form := b.get(b.service.ask(tenant, redirect)).form(b.t, "/"+tenant+"/staff/authorise")
	form.Set("decision", "approve")
	return form
}

// wants says how an answer differs from what it should be: its status, where
// it leads ("" for nowhere) and a text that the page has.
func (s seen) wants(t *testing.T, status int, location, text string) {
	t.Helper()
	if s.StatusCode != status || s.Header.Get("Location") != location || !strings.Contains(s.body, text) {
		t.Errorf("%s %s: got %s to %q, want %d to %q with %q\n%s", s.Request.Method, s.Request.URL.Path,
			s.Status, s.Header.Get("Location"), status, location, text, s.body)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// passwords knows one password, which is everybody's, and hashes nothing: that
// is signin's to test.
type passwords struct{ pool *pgxpool.Pool }

func (passwords) Keep(context.Context, string, staff.ID, string) (staff.CredentialID, error) {
	return staff.CredentialID{UUID: event.NewID()}, nil
}

func (passwords) Discard(context.Context, string, staff.ID, staff.CredentialID) error { return nil }

func (p passwords) Check(ctx context.Context, tenant, username, typed string) (holder signin.Holder, right bool, err error) {
	err = p.pool.QueryRow(ctx, `SELECT staff, credential FROM staff WHERE tenant = $1 AND convert_to(username, 'UTF8') = $2 AND active`,
		tenant, []byte(username)).Scan(&holder.Staff, &holder.Credential)
	if errors.Is(err, pgx.ErrNoRows) {
		return holder, false, nil
	}
	return holder, err == nil && typed == password, err
}

// watched is what was logged.
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

// scoped sets up a patient-scoped authorisation, as the service does (§5.5).
func (s *service) scoped(ctx context.Context, t *testing.T, tenant, username string) {
	t.Helper()
	id, err := commands.RegisterPatientHandler{Store: s.store}.Handle(ctx, commands.RegisterPatient{Tenant: tenant, Name: "Ann Archer"})
	must(t, err)
	_, err = commands.GrantPatientScopedAuthorisationHandler{
		Store: s.store, Staff: projections.Staff{DB: s.pool}, Now: s.Now, Lifetime: 12 * time.Hour,
	}.Handle(ctx, commands.GrantPatientScopedAuthorisation{Tenant: tenant, Application: s.app, Username: username, Patient: id})
	must(t, err)
}
