//go:build prove

package main_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
)

const surgeryTenant = "elm-street"

// surgery is a practice on a pair of clusters, served by processes of the program as
// it is shipped, with applications that call and are told.
type surgery struct {
	*pair
	served     []*served
	integrator bearertest.Application
	patients   []patient.ID
	receiver   *told

	answered answers // requests that were answered 200

	mu      sync.Mutex
	refused []refusal
}

// refusal is a call that was not answered 200.
type refusal struct {
	at     time.Time
	status int
}

// newSurgery serves with so many processes.
func newSurgery(t *testing.T, p *pair, durability string, processes int) *surgery {
	t.Helper()
	s := &surgery{pair: p, receiver: newTold(t)}
	runProgram(t, "migrate", "--create-roles", "--change-owner", "owner", "--database-url", p.url("postgres"))
	p.demand()
	p.follow()
	s.found()
	for range processes {
		s.served = append(s.served, s.serve(base64.StdEncoding.EncodeToString(theMasterKey[:]), durability))
	}
	return s
}

func (s *surgery) engine() *app.Engine {
	s.t.Helper()
	engine, err := app.Open(s.t.Context(), app.Config{
		DatabaseURL: s.url("frontdesk_app"), AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		MasterKey: theMasterKey,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return engine
}

func (s *surgery) found() {
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

func (s *surgery) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// work calls the service from many clients, until stop is called.
func (s *surgery) work() (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	var group sync.WaitGroup
	for n := range 6 {
		group.Go(func() {
			for i := n; ctx.Err() == nil; i++ {
				s.call(ctx, i, n < 2)
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

// call makes a call that is told of, or one whose answer is remembered.
func (s *surgery) call(ctx context.Context, i int, toldOf bool) {
	path, patient := "create-patient-request", s.patients[i%len(s.patients)]
	body := fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]}`, patient)
	if toldOf {
		path, body = "open-care-record", fmt.Sprintf(`{"patientId":%q}`, patient)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.served[i%len(s.served)].url+"/transactional-api/"+path, strings.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return
	}
	r.Host = surgeryTenant + ".frontdesk.test"
	r.Header.Set("Authorization", "Bearer "+s.integrator.Token(time.Now()))
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
		s.refused = append(s.refused, refusal{time.Now(), response.StatusCode})
		return
	}
	if err := json.Unmarshal(text, &made); err != nil {
		s.t.Errorf("answered %s: %v", text, err)
	}
	if !toldOf {
		s.answered.add(made.PatientRequestID)
	}
}

// told is a receiver of webhooks, which counts them.
type told struct {
	*httptest.Server

	mu    sync.Mutex
	times map[string]int          // by path and jti
	last  map[uuid.UUID]time.Time // when an event was told of last, to anybody
}

func newTold(t *testing.T) *told {
	r := &told{times: map[string]int{}, last: map[uuid.UUID]time.Time{}}
	r.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		token, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		r.received(t, request.URL.Path, string(token))
		time.Sleep(5 * time.Millisecond) // so that some always wait
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *told) received(t *testing.T, path, token string) {
	var claims struct{ JTI uuid.UUID }
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil || json.Unmarshal(payload, &claims) != nil {
		t.Errorf("received %q: %v", token, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times[path+" "+claims.JTI.String()]++
	r.last[claims.JTI] = time.Now()
}

// served is a process of frontdesk serve.
type served struct{ url, private string }

func (s *surgery) serve(master, durability string) *served {
	s.t.Helper()
	t := s.t
	certificate := filepath.Join(t.TempDir(), "receiver.pem")
	s.must(os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.receiver.Certificate().Raw}), 0o600))
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), binary(t), "serve", "--durability", durability, "--database-url", s.url("frontdesk_app"),
		"--listen=127.0.0.1:0", "--private-listen=127.0.0.1:0", "--api-domain=frontdesk.test", "--auth-url=https://auth.frontdesk.test",
		"--allow-network=127.0.0.0/8", "--webhook-age-limit=1h")
	cmd.Env = append(os.Environ(), "FRONTDESK_MASTER_KEY="+master, "SSL_CERT_FILE="+certificate)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	serving := make(chan *served, 1)
	var reading sync.WaitGroup
	reading.Go(func() {
		for lines.Scan() {
			var line struct {
				Level, Msg, URL string
				PrivateURL      string `json:"private_url"`
			}
			_ = json.Unmarshal(lines.Bytes(), &line)
			if line.Msg == "serving" {
				serving <- &served{line.URL, line.PrivateURL}
			}
			if line.Level != "INFO" {
				t.Logf("%s", lines.Text())
			}
		}
	})
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		reading.Wait()
		_ = cmd.Wait()
	})
	select {
	case s := <-serving:
		return s
	case <-time.After(time.Minute):
		t.Fatal("frontdesk serve does not serve")
		return nil
	}
}

func runProgram(t *testing.T, args ...string) {
	t.Helper()
	if output, err := exec.CommandContext(t.Context(), binary(t), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", args, err, output)
	}
}
