package app_test

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/staffweb/signin/passkeytest"
	"frontdesk/adapters/staffweb/signin/signintest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/display"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// lively is a program whose statements are collected while it does everything once.
type lively struct {
	*app.App
	t          *testing.T
	sent       *statements
	db         *pgxpool.Pool // as a superuser
	integrator bearertest.Application
	patient    patient.ID
	site       site.ID
	expected   appointment.ID // the one last booked
	replied    request.ID     // the one last answered
}

const livelyPassword = "coffee tin fish"

// live makes a program do everything once, and returns the statements that it has sent.
func live(t *testing.T, db *postgrestest.Database) *statements {
	t.Helper()
	l := &lively{t: t, sent: newStatements()}
	var err error
	l.db, err = postgres.NewPool(t.Context(), db.SuperuserURL, 0)
	must(t, err)
	defer l.db.Close()
	receiver := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer receiver.Close()
	roots := receiver.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	service, err := app.New(t.Context(), app.Config{
		DatabaseURL: db.URL, Listen: "127.0.0.1:0", PrivateListen: "127.0.0.1:0", APIDomain: "frontdesk.test", DefaultTenant: "elm-street",
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, RootCAs: roots, MasterKeys: sealing.NewRing(sealing.MasterKey{1}), PasswordCost: signintest.Cheap, Tracer: l.sent,
	})
	must(t, err)
	l.App = service
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = service.Run(ctx) })
	defer running.Wait()
	defer stop()
	l.furnish(receiver.URL)
	l.call()
	l.askItself()
	l.visit()
	l.change()
	l.look()
	l.audit(db)
	l.wait("webhooks are sent", `SELECT count(*) FROM deliveries WHERE tenant = 'elm-street' AND status = 'delivered'`)
	l.do(`UPDATE sequencer SET timeline = timeline - 1`) // as after a failover
	l.wait("an epoch begins", `SELECT count(*) FROM sequencer WHERE epoch > 1`)
	return l.sent
}

func (l *lively) must(err error) { l.t.Helper(); must(l.t, err) }

func (l *lively) do(sql string) {
	l.t.Helper()
	_, err := l.db.Exec(l.t.Context(), sql)
	l.must(err)
}

// wait waits until something can be counted.
func (l *lively) wait(what, sql string) {
	l.t.Helper()
	clocktest.Eventually(l.t, func() bool {
		var n int
		l.must(l.db.QueryRow(l.t.Context(), sql).Scan(&n))
		return n > 0
	}, "%s", what)
}

// furnish sets a practice up, and an application that may do everything there.
func (l *lively) furnish(receiver string) {
	l.t.Helper()
	ctx, desk := l.t.Context(), l.Desk
	var id string
	l.integrator, id = onboard(l.t, l.App)
	l.must(l.patient.UnmarshalText([]byte(id)))
	for _, endpoint := range access.Grantable() {
		for _, mode := range []application.Mode{application.UserRestricted, application.ApplicationRestricted} {
			l.must(desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: l.integrator.ID, Grant: application.Grant{Endpoint: endpoint, Mode: mode}}))
		}
	}
	for _, kind := range application.WebhookEvents() {
		l.must(desk.SetWebhook(ctx, commands.SetWebhook{Application: l.integrator.ID, Event: kind, URL: receiver}))
	}
	l.must(desk.AddCallback(ctx, commands.AddCallback{Application: l.integrator.ID, Callback: "https://app.example/cb"}))
	for _, username := range []string{"dr.lee", "kim"} {
		_, err := desk.RegisterStaff(ctx, commands.RegisterStaff{
			Tenant: "elm-street", Username: username, Name: username, Email: "lee@elm.example", Roles: staff.AllRoles(), Password: livelyPassword})
		l.must(err)
		_, err = desk.GrantUserAuthorisation(ctx, commands.GrantUserAuthorisation{Tenant: "elm-street", Application: l.integrator.ID, Username: username})
		l.must(err)
	}
	var err error
	l.site, err = desk.AddSite(ctx, commands.AddSite{Tenant: "elm-street", Name: "Main"})
	l.must(err)
}

// call calls every endpoint, for the application itself and for a member of staff.
func (l *lively) call() {
	l.t.Helper()
	for _, endpoint := range access.Endpoints() {
		if endpoint.AboutItself {
			continue // askItself asks
		}
		for n, edits := range [][]bearertest.Edit{{bearertest.As("dr.lee")}, nil} {
			if edits != nil && endpoint.AboutItself {
				continue
			}
			visit, err := l.Desk.BookAppointment(l.t.Context(), commands.BookAppointment{Tenant: "elm-street", Patient: l.patient, Site: l.site, At: l.Desk.Now()})
			l.must(err)
			l.expected = visit
			if endpoint.Name == access.RequestOutcome {
				l.answer()
			}
			if endpoint.Name == access.ClearCallIn {
				l.must(l.Desk.CallInPatient(l.t.Context(), commands.CallInPatient{Tenant: "elm-street", Appointment: visit}))
			}
			body := fmt.Sprintf(`{"patientId":%q,"appointmentId":%q,"siteId":%q,"at":"2026-03-02T12:00:00Z","note":"Seen.","event":"record.opened",`+
				`"telephone":"020 7946 0958","email":null,"nhsNumber":null,`+
				`"requestType":"admin","requester":"patient","response":[{"question":"requestDetails","answer":"A letter."}],`+
				`"attachments":[{"fileName":"a.jpg","contentType":"image/jpeg","data":"aGVsbG8="}]}`, l.patient, visit, l.site)
			l.send(endpoint.Name, body, fmt.Sprintf("key-%d", n), l.integrator.Token(l.Desk.Now(), edits...))
		}
	}
}

// answer answers a request that the integrator has sent.
func (l *lively) answer() {
	l.t.Helper()
	by, err := l.Desk.Staff.StaffByUsername(l.t.Context(), "elm-street", "kim")
	l.must(err)
	l.replied, err = l.Desk.SubmitPatientRequest(l.t.Context(), commands.SubmitPatientRequest{Tenant: "elm-street", Submission: request.Submission{
		Patient: l.patient, Application: l.integrator.ID, Type: request.Admin, Requester: request.ByPatient,
		Response: []request.Answer{{Question: "requestDetails", Answer: "Is my form ready?"}},
	}})
	l.must(err)
	l.must(l.Desk.CompletePatientRequest(l.t.Context(), commands.CompletePatientRequest{
		Tenant: "elm-street", Request: l.replied, By: by, Completion: request.Completion{Outcome: request.Replied, Answer: "It is ready."},
	}))
}

// askItself runs an application's queries about itself, with each filter.
func (l *lively) askItself() {
	l.t.Helper()
	for path, queries := range map[application.EndpointName][]string{
		access.OwnCalls:      {"", "status=refused&limit=1", "status=answered", "requestId=" + event.NewID().String(), "idempotencyKey=key-1"},
		access.OwnDeliveries: {"", "limit=1", "jti=" + event.NewID().String(), "outcome=failed", "from=2026-03-02T12:00:00Z&until=2026-03-03T12:00:00Z"},
	} {
		for _, query := range queries {
			r, err := http.NewRequestWithContext(l.t.Context(), http.MethodGet, l.URL()+"/transactional-api/"+string(path)+"?"+query, http.NoBody)
			l.must(err)
			r.Header.Set("Authorization", "Bearer "+l.integrator.Token(l.Desk.Now()))
			l.answered(r)
		}
	}
}

func (l *lively) send(endpoint application.EndpointName, body, key, token string) {
	l.t.Helper()
	method, address := http.MethodPost, l.URL()+"/transactional-api/"+string(endpoint)
	if slices.Contains([]application.EndpointName{access.Ping, access.RequestTypeAvailability, access.RetrieveCareRecord, access.RequestOutcome, access.CalledIn, access.Sites, access.Application}, endpoint) {
		method, body, address = http.MethodGet, "", address+"?patientId="+l.patient.String()+"&patientRequestId="+l.replied.String()
	}
	r, err := http.NewRequestWithContext(l.t.Context(), method, address, strings.NewReader(body))
	l.must(err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Idempotency-Key", key)
	l.answered(r)
}

// answered wants a call to be answered.
func (l *lively) answered(r *http.Request) {
	l.t.Helper()
	answer, err := http.DefaultClient.Do(r)
	l.must(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		l.t.Errorf("%s is answered %d %s, %v", r.URL, answer.StatusCode, text, err)
	}
}

var formFields = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)

// visit uses the pages as a member of staff does.
func (l *lively) visit() {
	l.t.Helper()
	jar, err := cookiejar.New(nil)
	l.must(err)
	client := &http.Client{Jar: jar}
	answered := func(method, path string, form url.Values) string {
		l.t.Helper()
		r, err := http.NewRequestWithContext(l.t.Context(), method, l.URL()+"/elm-street/staff/"+path, strings.NewReader(form.Encode()))
		l.must(err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Host = "localhost" // a name, to which passkeys can belong
		answer, err := client.Do(r)
		l.must(err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		l.must(err)
		return string(text)
	}
	page := func(method, path string, form url.Values) url.Values {
		l.t.Helper()
		return firstForm(answered(method, path, form))
	}
	ask := "authorise?" + url.Values{"app": {l.integrator.ID.String()}, "redirect": {"https://app.example/cb?state=1"}}.Encode()
	for range 2 { // a stranger's browser, and a known one
		page(http.MethodPost, "sign-in", url.Values{"username": {"dr.lee"}, "password": {"wrong"}})
		page(http.MethodPost, "sign-in", url.Values{"username": {"dr.lee"}, "password": {livelyPassword}})
		page(http.MethodPost, "authorisations", page(http.MethodGet, "authorisations", nil))
		for _, path := range []string{"account", "people", "people/passkeys", "requests", "requests?tab=mine&type=medical&urgent=yes", "requests?tab=done", "link/AAAA", "opening", "applications", "applications?after=" + l.integrator.ID.String(), "applications/" + l.integrator.ID.String()} {
			page(http.MethodGet, path, nil)
		}
		for _, path := range []string{"overview", "requests?new-since=1&type=medical", "requests?fragment&news&new-since=1", "requests?tab=later", "note-templates", "teams", "teams?add",
			"account/record", "account/record?show=openings", "account/record?show=lists",
			"day", "day?chosen=yes&site=" + l.site.String(), "day/" + l.expected.String(), "day/book?patient=" + l.patient.String(), "day/book?minutes=10&clinician=" + event.NewID().String() + "&patient=" + l.patient.String(), "sites", "sites/" + l.site.String(),
			"privacy", "privacy?before=" + event.NewID().String(), "privacy/refused", "privacy/erasures", "privacy/erasures?before=" + event.NewID().String(), "privacy/patients/" + l.patient.String(), "privacy/patients/" + l.patient.String() + "?before=9&from=1+1+2026",
			"privacy/patients/" + l.patient.String() + "?show=lists&before=" + event.NewID().String(), "privacy/patients/" + l.patient.String() + "?show=calls&until=1+1+2030"} {
			if shown := answered(http.MethodGet, path, nil); strings.Contains(shown, "There is no such") {
				l.t.Errorf("%s shows %s", path, shown)
			}
		}
		answered(http.MethodGet, "privacy/erasures/"+event.NewID().String(), nil)
		form := page(http.MethodGet, ask, nil)
		form.Set("decision", "decline")
		page(http.MethodPost, "authorise", form)
		page(http.MethodPost, "sign-out", page(http.MethodGet, "authorisations", nil))
	}
	key := passkeytest.New(l.t, "localhost", "http://localhost")
	asked := func(purpose, token string) []byte {
		return []byte(answered(http.MethodPost, "challenge", url.Values{"for": {purpose}, "token": {token}}))
	}
	page(http.MethodPost, "sign-in", url.Values{"username": {"dr.lee"}, "password": {livelyPassword}})
	inMain := func(path string) url.Values {
		_, main, _ := strings.Cut(answered(http.MethodGet, path, nil), "<main")
		return firstForm(main)
	}
	confirm := inMain("confirm?then=account/passkeys")
	confirm.Set("password", livelyPassword)
	page(http.MethodPost, "confirm", confirm)
	l.lookAfterPatients(answered)
	book := inMain("day/book?patient=" + l.patient.String())
	book.Set("date", l.Desk.Now().AddDate(0, 0, 1).Format("2 1 2006"))
	book.Set("time", "10:00")
	if shown := answered(http.MethodPost, "day/book", book); !strings.Contains(shown, "The appointment is booked.") {
		l.t.Errorf("booking shows\n%s", shown)
	}
	form := inMain("account/passkeys")
	form.Set("name", "My phone")
	form.Set("signed", key.Make(l.t, asked("add", form.Get("token"))))
	page(http.MethodPost, "account/passkeys", form)
	page(http.MethodPost, "sign-out", page(http.MethodGet, "authorisations", nil))
	page(http.MethodPost, "sign-in", url.Values{"username": {"dr.lee"}, "password": {livelyPassword}})
	page(http.MethodPost, "sign-in/second", url.Values{"signed": {key.Sign(l.t, asked("second", ""))}})
	team := inMain("teams?add")
	team.Set("name", "GPs")
	answered(http.MethodPost, "teams", team)
	template := inMain("note-templates")
	template.Set("name", "Rang")
	template.Set("text-new", "Rang, no answer.")
	answered(http.MethodPost, "note-templates", template)
	filter := url.Values{"token": {inMain("requests?urgent=yes&type=medical").Get("token")}, "type": {"medical"}, "do": {"save"}}
	for _, do := range []string{"save", "remove"} {
		filter.Set("do", do)
		answered(http.MethodPost, "requests", filter)
	}
	answered(http.MethodPost, "people/passkeys", inMain("people/passkeys")) // no role needs a passkey
	if text := answered(http.MethodPost, "account/passkeys", inMain("account/passkeys")); !strings.Contains(text, "The passkey has been removed.") {
		l.t.Errorf("the passkey was not removed:\n%s", text)
	}
	l.display(answered, inMain)
}

// display adds a display, and makes the browser its screen.
func (l *lively) display(answered func(method, path string, form url.Values) string, inMain func(path string) url.Values) {
	l.t.Helper()
	answered(http.MethodGet, "displays?add", nil)
	given, err := l.Desk.AddDisplay(l.t.Context(), commands.AddDisplay{Tenant: "elm-street", Name: "Hall", Site: l.site, Naming: display.Initials})
	l.must(err)
	answered(http.MethodGet, "displays", nil)
	answered(http.MethodGet, "displays/link/"+given.Display.String()+"/"+given.Secret, nil)
	answered(http.MethodPost, "displays/link", inMain("displays/link"))
	if text := answered(http.MethodGet, "board/"+l.site.String(), nil); !strings.Contains(text, "Now calling") {
		l.t.Errorf("the screen shows\n%s", text)
	}
	l.must(l.Desk.RemoveDisplay(l.t.Context(), commands.RemoveDisplay{Tenant: "elm-street", Display: given.Display}))
}

// firstForm is the hidden fields of the first form of a page.
func firstForm(page string) url.Values {
	fields := url.Values{}
	for _, field := range formFields.FindAllStringSubmatch(page, -1) {
		if fields.Has(field[1]) {
			break // the next form
		}
		fields.Set(field[1], html.UnescapeString(field[2]))
	}
	return fields
}

// look reads the operators' metrics and checks.
func (l *lively) look() {
	l.t.Helper()
	for _, path := range []string{"/readyz", "/metrics"} {
		get(l.t, l.PrivateURL()+path)
	}
}
