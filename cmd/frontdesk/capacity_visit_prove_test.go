//go:build prove

package main_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
)

const cellPractices = 20

// cell is some practices on a Postgres that flushes to disk, with applications that call and
// receive every webhook. Visits rotate through all of these, and through the processes that
// serve.
type cell struct {
	t           *testing.T
	admin       *pgxpool.Pool
	data        string   // directory of the cluster
	urls        []string // of the processes
	client      *http.Client
	integrators []bearertest.Application
	practices   []practice
	keyed       bool // each POST has an Idempotency-Key of its own
}

type practice struct {
	tenant, site, room string
	patients           []patient.ID
}

// steps are the calls of one visit. Later steps know the answers of earlier ones.
var steps = []struct{ path, body string }{
	{"request-type-availability", ""},
	{"create-patient-request", `{"patientId":"{patient}","requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"{text}"}]}`},
	{"book-appointment", `{"patientId":"{patient}","siteId":"{site}","at":"{at}"}`},
	{"call-in-patient", `{"appointmentId":"{appointmentId}","roomId":"{room}"}`},
	{"open-care-record", `{"patientId":"{patient}"}`},
	{"start-consultation", `{"patientId":"{patient}","appointmentId":"{appointmentId}"}`},
	{"create-note", `{"patientId":"{patient}","note":"{text}"}`},
	{"retrieve-care-record", "?patientId={patient}"},
}

var aText = strings.Repeat("It hurts when I laugh. ", 12)

// newCell has a cluster of its own and nothing in it yet.
func newCell(t *testing.T) (c *cell, server *embedded.Server) {
	t.Helper()
	c = &cell{t: t, client: &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: visitClients, IdleConnTimeout: time.Minute, // before the service closes them
	}}}
	t.Cleanup(c.client.CloseIdleConnections)
	server = postgrestest.Cluster(t)
	var err error
	c.admin, err = postgres.NewPool(t.Context(), server.URL("frontdesk", embedded.Superuser), 2)
	c.must(err)
	t.Cleanup(c.admin.Close)
	c.must(c.admin.QueryRow(t.Context(), `SHOW data_directory`).Scan(&c.data))
	c.data, err = filepath.EvalSymlinks(c.data)
	c.must(err)
	return c, server
}

// newCellInside is served by this process, so that its CPU can be measured.
func newCellInside(t *testing.T) *cell {
	t.Helper()
	c, server := newCell(t)
	receiver := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(receiver.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(receiver.Certificate())
	service, err := app.New(t.Context(), app.Config{
		DatabaseURL: server.URL("frontdesk", postgres.AppRole), Listen: "127.0.0.1:0", APIDomain: "frontdesk.test", RootCAs: trusted,
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MasterKeys: sealing.NewRing(theMasterKey), RateLimit: app.NoLimit, DailyBytes: app.NoLimit,
	})
	c.must(err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = service.Run(ctx) })
	t.Cleanup(func() { stop(); running.Wait() })
	c.urls = []string{service.URL()}
	c.found(service.Desk, patientsOfEach, receiver.URL)
	return c
}

func (c *cell) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// found makes an application for each receiver, and the practices, which enable all of them.
func (c *cell) found(desk commands.Desk, patients int, receivers ...string) {
	c.t.Helper()
	keys := bearertest.NewServer(nil)
	c.t.Cleanup(keys.Close)
	for _, receiver := range receivers {
		c.register(desk, keys, receiver)
	}
	c.practices = make([]practice, cellPractices)
	var group sync.WaitGroup
	for n := range c.practices {
		group.Go(func() {
			var err error
			if c.practices[n], err = c.open(desk, fmt.Sprintf("practice-%d", n), patients); err != nil {
				c.t.Errorf("practice %d: %v", n, err)
			}
		})
	}
	if group.Wait(); c.t.Failed() {
		c.t.FailNow()
	}
}

// register makes an application that calls, and receives every webhook if it has a receiver.
func (c *cell) register(desk commands.Desk, keys *bearertest.Server, receiver string) {
	c.t.Helper()
	ctx := c.t.Context()
	id, err := desk.RegisterApplication(ctx, commands.RegisterApplication{Name: "Integrator", JWKSURL: keys.URL})
	c.must(err)
	integrator := bearertest.NewApplication(id)
	keys.Publish(integrator.JWKS()) // they have one key
	for _, step := range steps {
		grant := application.Grant{Endpoint: application.EndpointName(step.path), Mode: application.ApplicationRestricted}
		c.must(desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: id, Grant: grant}))
	}
	if receiver != "" {
		c.subscribe(desk, id, receiver)
	}
	c.integrators = append(c.integrators, integrator)
}

// subscribe has an application receive the webhooks of visits.
func (c *cell) subscribe(desk commands.Desk, id application.ID, receiver string) {
	c.t.Helper()
	for _, kind := range []application.WebhookEvent{application.RecordOpened, application.ConsultationStarted, application.CallInShown} {
		c.must(desk.SetWebhook(c.t.Context(), commands.SetWebhook{Application: id, Event: kind, URL: receiver}))
	}
}

func (c *cell) open(desk commands.Desk, tenant string, patients int) (of practice, err error) {
	ctx := c.t.Context()
	of.tenant = tenant
	if err := desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: tenant, Name: tenant}); err != nil {
		return of, err
	}
	for _, integrator := range c.integrators {
		if err := desk.EnableApplication(ctx, commands.EnableApplication{Tenant: tenant, Application: integrator.ID}); err != nil {
			return of, err
		}
	}
	site, err := desk.AddSite(ctx, commands.AddSite{Tenant: tenant, Name: "Main"})
	if err != nil {
		return of, err
	}
	room, err := desk.AddRoom(ctx, commands.AddRoom{Tenant: tenant, Site: site, Name: "1"})
	if err != nil {
		return of, err
	}
	of.site, of.room = site.String(), room.String()
	for range patients {
		patient, err := desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: tenant, Name: "Ann Archer"})
		if err != nil {
			return of, err
		}
		of.patients = append(of.patients, patient)
	}
	return of, nil
}

// visit makes the calls of one visit, and returns how many seconds each took.
func (c *cell) visit(ctx context.Context, n int) (took []float64, err error) {
	of, integrator, url := c.practices[n%cellPractices], c.integrators[n%len(c.integrators)], c.urls[n%len(c.urls)]
	known := map[string]string{
		"patient": of.patients[n/cellPractices%len(of.patients)].String(), "site": of.site, "room": of.room, "text": aText,
		"at": clock.System().UTC().Format(time.RFC3339),
	}
	for _, step := range steps {
		token := integrator.Token(clock.System()) // which takes the client longer than all that the call does
		began := clock.Start()
		if err := c.call(ctx, url, of.tenant, step.path, filled(step.body, known), token, known); err != nil {
			return nil, fmt.Errorf("%s: %w", step.path, err)
		}
		took = append(took, began.Elapsed().Seconds())
	}
	return took, nil
}

func filled(text string, known map[string]string) string {
	for name, value := range known {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

func (c *cell) call(ctx context.Context, base, tenant, path, body, token string, known map[string]string) error {
	status, text, err := c.send(ctx, base, tenant, path, body, token)
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("answered %d %s, %w", status, text, err)
	}
	var made struct {
		AppointmentID string `json:"appointmentId"`
	}
	if json.Unmarshal(text, &made) == nil && made.AppointmentID != "" {
		known["appointmentId"] = made.AppointmentID
	}
	return nil
}

// send makes a call and returns the answer to it. One without a body is a GET.
func (c *cell) send(ctx context.Context, base, tenant, path, body, token string) (status int, text []byte, err error) {
	method, url := http.MethodPost, base+"/transactional-api/"+path
	if !strings.HasPrefix(body, "{") {
		method, url, body = http.MethodGet, url+body, ""
	}
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Host = tenant + ".frontdesk.test"
	r.Header.Set("Authorization", "Bearer "+token)
	if c.keyed && method == http.MethodPost {
		r.Header.Set("Idempotency-Key", uuid.NewString())
	}
	response, err := c.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	return response.StatusCode, text, err
}

// settle waits until nothing is under way, and vacuums and analyses the tables.
func (c *cell) settle() {
	c.t.Helper()
	c.rest()
	_, err := c.admin.Exec(c.t.Context(), `VACUUM ANALYZE`)
	c.must(err)
}

// rest waits until nothing is under way.
func (c *cell) rest() {
	c.t.Helper()
	for waiting := true; waiting; time.Sleep(100 * time.Millisecond) {
		c.must(c.admin.QueryRow(c.t.Context(), `SELECT (SELECT min(idx) FROM feed_offsets) < (SELECT head FROM sequencer)
			OR EXISTS (SELECT FROM deliveries WHERE status IN ('pending', 'sending'))`).Scan(&waiting))
	}
	time.Sleep(2 * time.Second) // for the access record and the provers
}
