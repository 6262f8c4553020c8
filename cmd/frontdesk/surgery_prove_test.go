//go:build prove

package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
)

const surgeryTenant = "elm-street"

// busy is a practice, served by processes of the program as shipped, with applications that
// call and receive webhooks.
type busy struct {
	t          *testing.T
	database   func(role string) string // the URL of the Postgres that takes writes
	served     []*served
	integrator bearertest.Application
	patients   []patient.ID
	receiver   *hookCounter
	broker     *brokertest.Server // where its log is relayed to; nil if it is not

	answered answers // requests that were answered 200

	mu      sync.Mutex
	refused []refusal
	last    []time.Time     // when each process last answered 200
	silent  []time.Duration // the longest time for which each has not, since it was asked
}

// refusal is a call that was not answered 200.
type refusal struct {
	at     time.Time
	status int
}

// surgery is a busy practice on a pair of clusters.
type surgery struct {
	*pair
	*busy

	t *testing.T
}

// newSurgery serves with that many processes.
func newSurgery(t *testing.T, p *pair, durability string, processes int) *surgery {
	t.Helper()
	s := &surgery{pair: p, busy: newBusy(t, p.url), t: t}
	if err := postgres.CreateRoles(t.Context(), p.url("postgres")); err != nil {
		t.Fatal(err)
	}
	runProgram(t, "migrate", "--change-owner", "owner", "--database-url", p.url("postgres"))
	p.demand()
	p.follow()
	s.found()
	for range processes {
		s.serve(p.url("frontdesk_app"), durability)
	}
	return s
}

func newBusy(t *testing.T, database func(role string) string) *busy {
	t.Helper()
	return &busy{t: t, database: database, receiver: newHookCounter(t)}
}

func (s *busy) engine() *app.Engine {
	s.t.Helper()
	engine, err := app.Open(s.t.Context(), app.Config{
		DatabaseURL: s.database("frontdesk_app"), AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		MasterKeys: sealing.NewRing(theMasterKey),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return engine
}

func (s *busy) found() {
	s.t.Helper()
	engine := s.engine()
	defer engine.Close()
	ctx, desk := s.t.Context(), engine.Desk
	keys := bearertest.NewServer(nil)
	s.t.Cleanup(keys.Close)
	id, err := desk.RegisterApplication(ctx, commands.RegisterApplication{Name: "Integrator", JWKSURL: keys.URL})
	s.must(err)
	s.integrator = bearertest.NewApplication(id)
	keys.Publish(s.integrator.JWKS())
	s.must(desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: surgeryTenant, Name: "Elm Street"}))
	for _, endpoint := range []application.EndpointName{access.CreatePatientRequest, access.OpenCareRecord} {
		grant := application.Grant{Endpoint: endpoint, Mode: application.ApplicationRestricted}
		s.must(desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: id, Grant: grant}))
	}
	s.must(desk.SetWebhook(ctx, commands.SetWebhook{Application: id, Event: application.RecordOpened, URL: s.receiver.URL + "/0"}))
	s.must(desk.EnableApplication(ctx, commands.EnableApplication{Tenant: surgeryTenant, Application: id}))
	for n := range 4 {
		other, err := desk.RegisterApplication(ctx, commands.RegisterApplication{Name: "Another", JWKSURL: keys.URL})
		s.must(err)
		s.must(desk.SetWebhook(ctx, commands.SetWebhook{Application: other, Event: application.RecordOpened, URL: fmt.Sprintf("%s/%d", s.receiver.URL, n+1)}))
		s.must(desk.EnableApplication(ctx, commands.EnableApplication{Tenant: surgeryTenant, Application: other}))
	}
	for range 30 {
		patient, err := desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: surgeryTenant, Name: "Ann Archer"})
		s.must(err)
		s.patients = append(s.patients, patient)
	}
	s.must(engine.Drain(ctx))
}

func (s *busy) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// work calls the service from many clients, each of which keeps to one process, until
// stop is called.
func (s *busy) work() (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	var group sync.WaitGroup
	for n := range 6 {
		group.Go(func() {
			for i := n; ctx.Err() == nil; i++ {
				s.call(ctx, n%len(s.served), i, n < 2)
				pauseFor(ctx, 10*time.Millisecond)
			}
		})
	}
	stop = sync.OnceFunc(func() { cancel(); group.Wait() })
	s.t.Cleanup(stop)
	return stop
}

func pauseFor(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// call makes a call that causes webhooks, or one whose answer is remembered.
func (s *busy) call(ctx context.Context, process, i int, toldOf bool) {
	path, patient := "create-patient-request", s.patients[i%len(s.patients)]
	body := fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]}`, patient)
	if toldOf {
		path, body = "open-care-record", fmt.Sprintf(`{"patientId":%q}`, patient)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.served[process].url+"/transactional-api/"+path, strings.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return
	}
	r.Host = surgeryTenant + ".frontdesk.test"
	r.Header.Set("Authorization", "Bearer "+s.integrator.Token(clock.System()))
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		if ctx.Err() == nil {
			s.t.Errorf("a call was not answered: %v", err)
		}
		return
	}
	defer response.Body.Close()
	var made struct{ PatientRequestID uuid.UUID }
	text, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK || err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.refused = append(s.refused, refusal{clock.System(), response.StatusCode})
		return
	}
	if err := json.Unmarshal(text, &made); err != nil {
		s.t.Errorf("answered %s: %v", text, err)
	}
	s.spoke(process)
	if !toldOf {
		s.answered.add(made.PatientRequestID)
	}
}

// spoke notes that a process has answered 200.
func (s *busy) spoke(process int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := clock.System()
	s.silent[process] = max(s.silent[process], now.Sub(s.last[process]))
	s.last[process] = now
}

func runProgram(t *testing.T, args ...string) {
	t.Helper()
	if output, err := exec.CommandContext(t.Context(), testworld.Binary(t), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", args, err, output)
	}
}
