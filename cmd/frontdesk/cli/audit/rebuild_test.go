package audit_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
)

// keyed is a practice that is served, and an application that may do everything there and
// sends an Idempotency-Key with each call.
type keyed struct {
	clitest.Caller
	db        *postgrestest.Database
	owner     *pgxpool.Pool
	engine    *app.Engine
	url       string
	ann, bill patient.ID
	site      site.ID
}

func newKeyed(t *testing.T) *keyed {
	t.Helper()
	db := postgrestest.New(t)
	k := &keyed{Caller: clitest.NewCaller(t, db), db: db, owner: db.AdminPool(t)}
	k.engine = k.open(t, clock.System)
	ctx, desk := t.Context(), k.engine.Desk
	for _, endpoint := range access.Grantable() {
		grant := application.Grant{Endpoint: endpoint, Mode: application.ApplicationRestricted}
		clitest.Must(t, desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: k.ID, Grant: grant}))
	}
	clitest.Must(t, desk.SetWebhook(ctx, commands.SetWebhook{Application: k.ID, Event: application.RecordOpened, URL: "https://127.0.0.1:9"}))
	var err error
	k.site, err = desk.AddSite(ctx, commands.AddSite{Tenant: "elm", Name: "Main"})
	clitest.Must(t, err)
	for name, id := range map[string]*patient.ID{"Ann Archer": &k.ann, "Bill Baker": &k.bill} {
		*id, err = desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm", Name: name})
		clitest.Must(t, err)
	}
	k.url = clitest.Serving(t, "--database-url", db.URL, "--allow-network=127.0.0.0/8").Line(t, "serving")["url"].(string)
	return k
}

func (k *keyed) open(t *testing.T, now func() time.Time) *app.Engine {
	t.Helper()
	engine, err := app.Open(t.Context(), app.Config{
		DatabaseURL: k.db.URL, MasterKeys: sealing.NewRing(clitest.MasterKey), Now: now, AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	clitest.Must(t, err)
	t.Cleanup(engine.Close)
	return engine
}

// keyedCall is a call, and how it was answered.
type keyedCall struct {
	endpoint  application.EndpointName
	key, body string
	status    int
	answer    string
	replayed  string
}

// post makes a call.
func (k *keyed) post(t *testing.T, endpoint application.EndpointName, key, body string) keyedCall {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, k.url+"/transactional-api/"+string(endpoint), strings.NewReader(body))
	clitest.Must(t, err)
	r.Host = "elm.api.example"
	r.Header.Set("Authorization", "Bearer "+k.Token(clock.System()))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(r)
	clitest.Must(t, err)
	text, err := io.ReadAll(response.Body)
	clitest.Must(t, err)
	clitest.Must(t, response.Body.Close())
	return keyedCall{endpoint, key, body, response.StatusCode, string(text), response.Header.Get("Idempotent-Replayed")}
}

// wantReplayed repeats a call, which must change nothing.
func (k *keyed) wantReplayed(t *testing.T, c keyedCall) {
	t.Helper()
	before := k.count(t, "events")
	again := k.post(t, c.endpoint, c.key, c.body)
	if again.status != c.status || again.answer != c.answer || again.replayed != "true" {
		t.Errorf("answered %d %q, replayed %q; first %d %q", again.status, again.answer, again.replayed, c.status, c.answer)
	}
	if made := k.count(t, "events") - before; made != 0 {
		t.Errorf("%d new events", made)
	}
}

// body has the members of all endpoints about a patient: each reads those that it knows.
func (k *keyed) body(t *testing.T, about patient.ID, endpoint application.EndpointName) string {
	t.Helper()
	ctx, desk := t.Context(), k.engine.Desk
	visit, err := desk.BookAppointment(ctx, commands.BookAppointment{Tenant: "elm", Patient: about, Site: k.site, At: desk.Now()})
	clitest.Must(t, err)
	if endpoint == access.ClearCallIn {
		clitest.Must(t, desk.CallInPatient(ctx, commands.CallInPatient{Tenant: "elm", Appointment: visit}))
	}
	return fmt.Sprintf(`{"patientId":%q,"appointmentId":%q,"siteId":%q,"at":"2026-03-02T12:00:00Z","note":"A cough","event":"record.opened",`+
		`"telephone":"020 7946 0958","email":null,"nhsNumber":null,`+
		`"requestType":"admin","requester":"patient","response":[{"question":"requestDetails","answer":"A letter"}]}`, about, visit, k.site)
}

// callAll calls every endpoint that changes something, and has each answer remembered.
func (k *keyed) callAll(t *testing.T, about patient.ID) (calls []keyedCall) {
	t.Helper()
	for _, e := range access.Endpoints() {
		if e.Name == access.Ping { // it changes nothing
			continue
		}
		c := k.post(t, e.Name, "job-17", k.body(t, about, e.Name))
		if c.status == http.StatusMethodNotAllowed { // it is called by GET alone
			continue
		}
		if c.status != http.StatusOK {
			t.Fatalf("%s is answered %d %s: give it what it needs in body", e.Name, c.status, c.answer)
		}
		calls = append(calls, c)
	}
	k.wantAnswers(t, len(calls))
	return calls
}

func (k *keyed) count(t *testing.T, table string) (n int) {
	t.Helper()
	clitest.Must(t, k.owner.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&n))
	return n
}

func (k *keyed) wantAnswers(t *testing.T, want int) {
	t.Helper()
	if got := k.count(t, "answers"); got != want || got == 0 {
		t.Errorf("%d answers are remembered, want %d", got, want)
	}
}

func (k *keyed) rebuild(t *testing.T, flags ...string) clitest.Outcome {
	t.Helper()
	return clitest.Frontdesk(t, append([]string{"audit", "rebuild", "--database-url", k.db.AdminURL}, flags...)...)
}

// wantRebuilt fails unless the read models are those of the log, and a rebuild brings all
// answers back that should be there.
func (k *keyed) wantRebuilt(t *testing.T, answers int) {
	t.Helper()
	k.wantAnswers(t, answers)
	o := k.rebuild(t)
	if o.WantSuccess(t); !strings.HasSuffix(o.Out, "\nno difference\n") {
		t.Errorf("printed\n%s", o.Out)
	}
	_, err := k.owner.Exec(t.Context(), `DELETE FROM answers`)
	clitest.Must(t, err)
	k.rebuild(t, "--switch").WantSuccess(t)
	k.wantAnswers(t, answers)
}

func TestRebuildOfEveryKeyedEndpoint(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	calls := k.callAll(t, k.ann)
	k.wantRebuilt(t, len(calls))
	for _, c := range calls {
		t.Run(string(c.endpoint), func(t *testing.T) { k.wantReplayed(t, c) })
	}
}

func TestRebuildOfAnswersWithoutKey(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	calls := k.callAll(t, k.ann)
	o := k.rebuild(t, "--switch", clitest.NoMasterKey)
	o.WantSuccess(t)
	if !strings.Contains(o.Out, "not compared: staff.v1, answers.v1, ") || !strings.HasSuffix(o.Out, "\nno other difference\n") {
		t.Errorf("printed\n%s", o.Out)
	}
	k.rebuild(t, "--switch", "--projection=answers.v1", clitest.NoMasterKey).WantFailure(t, 1, clitest.SealedHere)
	k.wantAnswers(t, len(calls))
}

// erase erases a patient, as two operators do.
func (k *keyed) erase(t *testing.T, id patient.ID) {
	t.Helper()
	by := func(operator string) context.Context {
		return event.WithMetadata(t.Context(), event.Metadata{Actor: event.Operator(operator, "")})
	}
	yesterday := k.open(t, func() time.Time { return k.engine.Desk.Now().Add(-erasure.Soonest) })
	asked, err := yesterday.Desk.ErasePatient(by("alice"), commands.ErasePatient{Tenant: "elm", Patient: id, Basis: erasure.CourtOrder, Reason: "an order"})
	clitest.Must(t, err)
	k.db.PassClock(t, erasure.Soonest)
	clitest.Must(t, k.engine.Desk.ConfirmErasure(by("bob"), commands.ConfirmErasure{Person: asked.Person, Erasure: asked.Erasure}))
}

// A stored answer belongs to the patient to whom its request is linked by then.
func TestRebuildOfAnswersAfterErasure(t *testing.T) {
	t.Parallel()
	k := newKeyed(t)
	k.callAll(t, k.ann)
	note := k.post(t, access.CreateNote, "bill", k.body(t, k.bill, access.CreateNote))
	moved := k.post(t, access.CreatePatientRequest, "moved", k.body(t, k.ann, access.CreatePatientRequest))
	var id request.ID
	clitest.Must(t, id.UnmarshalText([]byte(strings.Split(moved.answer, `"`)[3])))
	clitest.Must(t, k.engine.Desk.ReLinkPatientRequest(t.Context(), commands.ReLinkPatientRequest{Tenant: "elm", Request: id, From: k.ann, To: k.bill, Reason: "It is about Bill."}))

	k.wantRebuilt(t, k.count(t, "answers"))
	k.wantReplayed(t, moved)
	const own = 2 // calls of an application about itself
	k.erase(t, k.ann)
	k.wantRebuilt(t, own+2)
	k.wantReplayed(t, note)
	k.erase(t, k.bill)
	k.wantRebuilt(t, own)
}
