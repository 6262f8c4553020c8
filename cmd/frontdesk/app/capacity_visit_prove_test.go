//go:build prove

package app_test

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

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
)

const (
	cellPractices = 20
	cellPatients  = 50 // of each practice
)

// cell is a service with some practices, on a Postgres that flushes to disk.
type cell struct {
	*app.App
	t          *testing.T
	admin      *pgxpool.Pool
	data       string // directory of the cluster
	client     *http.Client
	integrator bearertest.Application
	practices  []surgery
}

type surgery struct {
	tenant, site, room string
	patients           []patient.ID
}

// steps are the calls of one visit. What a step was answered is known to those behind it.
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

func newCell(t *testing.T) *cell {
	t.Helper()
	server := postgrestest.Cluster(t)
	receiver := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(receiver.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(receiver.Certificate())
	c := &cell{t: t, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: visitClients}}}
	t.Cleanup(c.client.CloseIdleConnections)
	var err error
	c.App, err = app.New(t.Context(), app.Config{
		DatabaseURL: server.URL("frontdesk", postgres.AppRole), Listen: "127.0.0.1:0", APIDomain: "frontdesk.test", RootCAs: trusted,
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MasterKey: sealing.MasterKey{1}, RateLimit: app.NoLimit, DailyBytes: app.NoLimit,
	})
	must(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = c.Run(ctx) })
	t.Cleanup(func() { stop(); running.Wait() })
	c.admin, err = postgres.NewPool(t.Context(), server.URL("frontdesk", embedded.Superuser), 2)
	must(t, err)
	t.Cleanup(c.admin.Close)
	must(t, c.admin.QueryRow(t.Context(), `SHOW data_directory`).Scan(&c.data))
	if c.data, err = filepath.EvalSymlinks(c.data); err != nil {
		t.Fatal(err)
	}
	c.register(receiver.URL)
	for n := range cellPractices {
		c.found(fmt.Sprintf("practice-%d", n))
	}
	return c
}

// register makes the application that calls, and is told of everything.
func (c *cell) register(receiver string) {
	ctx, keys := c.t.Context(), bearertest.NewServer(nil)
	c.t.Cleanup(keys.Close)
	id, err := c.Desk.RegisterApplication(ctx, commands.RegisterApplication{Name: "Integrator", JWKSURL: keys.URL})
	must(c.t, err)
	c.integrator = bearertest.NewApplication(id)
	keys.Publish(c.integrator.JWKS())
	for _, step := range steps {
		grant := application.Grant{Endpoint: application.EndpointName(step.path), Mode: application.ApplicationRestricted}
		must(c.t, c.Desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: id, Grant: grant}))
	}
	for _, kind := range []application.WebhookEvent{application.RecordOpened, application.ConsultationStarted, application.CallInShown} {
		must(c.t, c.Desk.SetWebhook(ctx, commands.SetWebhook{Application: id, Event: kind, URL: receiver}))
	}
}

func (c *cell) found(tenant string) {
	ctx, of := c.t.Context(), surgery{tenant: tenant}
	must(c.t, c.Desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: tenant, Name: tenant}))
	must(c.t, c.Desk.EnableApplication(ctx, commands.EnableApplication{Tenant: tenant, Application: c.integrator.ID}))
	site, err := c.Desk.AddSite(ctx, commands.AddSite{Tenant: tenant, Name: "Main"})
	must(c.t, err)
	room, err := c.Desk.AddRoom(ctx, commands.AddRoom{Tenant: tenant, Site: site, Name: "1"})
	must(c.t, err)
	of.site, of.room = site.String(), room.String()
	for range cellPatients {
		patient, err := c.Desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: tenant, Name: "Ann Archer"})
		must(c.t, err)
		of.patients = append(of.patients, patient)
	}
	c.practices = append(c.practices, of)
}

// visit makes the calls of one visit, and returns how many seconds each took.
func (c *cell) visit(ctx context.Context, n int) (took []float64, err error) {
	of := c.practices[n%cellPractices]
	known := map[string]string{
		"patient": of.patients[n/cellPractices%cellPatients].String(), "site": of.site, "room": of.room, "text": aText,
		"at": time.Now().UTC().Format(time.RFC3339),
	}
	for _, step := range steps {
		token := c.integrator.Token(time.Now()) // which takes the client longer than all that the call does
		began := time.Now()
		if err := c.call(ctx, of.tenant, step.path, filled(step.body, known), token, known); err != nil {
			return nil, fmt.Errorf("%s: %w", step.path, err)
		}
		took = append(took, time.Since(began).Seconds())
	}
	return took, nil
}

func filled(text string, known map[string]string) string {
	for name, value := range known {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

func (c *cell) call(ctx context.Context, tenant, path, body, token string, known map[string]string) error {
	method, url := http.MethodPost, c.URL()+"/transactional-api/"+path
	if !strings.HasPrefix(body, "{") {
		method, url, body = http.MethodGet, url+body, ""
	}
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Host = tenant + ".frontdesk.test"
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %d %s, %w", response.StatusCode, text, err)
	}
	var made struct {
		AppointmentID string `json:"appointmentId"`
	}
	if json.Unmarshal(text, &made) == nil && made.AppointmentID != "" {
		known["appointmentId"] = made.AppointmentID
	}
	return nil
}

// settle waits until nothing is under way, and has the tables as they will stay.
func (c *cell) settle() {
	c.t.Helper()
	for waiting := true; waiting; time.Sleep(100 * time.Millisecond) {
		must(c.t, c.admin.QueryRow(c.t.Context(), `SELECT (SELECT min(idx) FROM feed_offsets) < (SELECT head FROM sequencer)
			OR EXISTS (SELECT FROM deliveries WHERE status IN ('pending', 'sending'))`).Scan(&waiting))
	}
	time.Sleep(2 * time.Second) // for the access record and the provers
	_, err := c.admin.Exec(c.t.Context(), `VACUUM ANALYZE`)
	must(c.t, err)
}
