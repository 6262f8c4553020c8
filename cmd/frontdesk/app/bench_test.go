package app_test

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// BenchmarkCall compares whole calls, of a body of a kilobyte and with a token each,
// minted beforehand, with a bare handler that verifies one RSA signature, decodes one
// JSON body and inserts one row, on the same database; and with a [minimal] one.
func BenchmarkCall(b *testing.B) {
	service, integrator, patient := serving(b)
	for name, handler := range map[string]http.Handler{"bare": bare(b, service.admin, &integrator.Key.PublicKey), "minimal": minimal(b, service, integrator)} {
		floor := httptest.NewServer(handler)
		b.Cleanup(floor.Close)
		for _, clients := range []int{16, 64} {
			b.Run(fmt.Sprintf("%s/clients=%d", name, clients), func(b *testing.B) {
				benchtest.Comparison{
					Ratio:   "of-" + name,
					Floor:   newCrowd(b, clients, &integrator, submission(floor.URL, patient)).rate(name+"/s", 0),
					Rate:    newCrowd(b, clients, &integrator, submission(service.URL(), patient)).rate("calls/s", 0),
					Cluster: benchtest.ClusterOf(b, service.admin),
				}.Run(b)
			})
		}
	}
}

// submission is a call that sends a patient's request to a server.
func submission(url, patient string) call {
	return call{Method: http.MethodPost, URL: url + "/transactional-api/create-patient-request", Host: "elm-street.frontdesk.test", Body: requestBody(patient)}
}

type running struct {
	*app.App
	admin *pgxpool.Pool
	url   string // of its database
	stop  func() // ends it before the benchmark does
}

// serving is a program on a Postgres that flushes to disk, with an application
// that may submit for a patient.
func serving(b testing.TB) (running, bearertest.Application, string) {
	b.Helper()
	server := postgrestest.Cluster(b)
	admin := server.URL("frontdesk", embedded.Superuser)
	service, err := app.New(b.Context(), app.Config{
		DatabaseURL: server.URL("frontdesk", "frontdesk_app"), Listen: "127.0.0.1:0", APIDomain: "frontdesk.test",
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MasterKeys: sealing.NewRing(sealing.MasterKey{1}),
		RateLimit: app.NoLimit, DailyBytes: app.NoLimit,
	})
	must(b, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(b.Context()))
	var group sync.WaitGroup
	group.Go(func() { _ = service.Run(ctx) })
	end := func() { stop(); group.Wait() }
	b.Cleanup(end)
	pool, err := postgres.NewPool(b.Context(), admin+"&pool_max_conns=16", 0) // as many as calls have
	must(b, err)
	b.Cleanup(pool.Close)
	integrator, patient := onboard(b, service)
	return running{service, pool, server.URL("frontdesk", "frontdesk_app"), end}, integrator, patient
}

func onboard(b testing.TB, do *app.App) (bearertest.Application, string) {
	b.Helper()
	keys := bearertest.NewServer(nil)
	b.Cleanup(keys.Close)
	ctx := b.Context()
	must(b, do.Desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "elm-street", Name: "Elm Street"}))
	id, err := do.Desk.RegisterApplication(ctx, commands.RegisterApplication{Name: "Bench", JWKSURL: keys.URL})
	must(b, err)
	integrator := bearertest.NewApplication(id)
	keys.Publish(integrator.JWKS())
	grant := application.Grant{Endpoint: access.CreatePatientRequest, Mode: application.ApplicationRestricted}
	must(b, do.Desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: id, Grant: grant}))
	must(b, do.Desk.EnableApplication(ctx, commands.EnableApplication{Tenant: "elm-street", Application: id}))
	patient, err := do.Desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm-street", Name: "Ann Archer"})
	must(b, err)
	return integrator, patient.String()
}

func must(b testing.TB, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func requestBody(patient string) string {
	return fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":%q}]}`,
		patient, strings.Repeat("It hurts when I laugh. ", 36))
}

// bare does the least that could be called an answer.
func bare(b *testing.B, pool *pgxpool.Pool, key *rsa.PublicKey) http.Handler {
	b.Helper()
	_, err := pool.Exec(b.Context(), `CREATE TABLE bare (id uuid PRIMARY KEY, body text NOT NULL)`)
	must(b, err)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		dot := strings.LastIndexByte(token, '.')
		signature, _ := base64.RawURLEncoding.DecodeString(token[dot+1:])
		digest := sha256.Sum256([]byte(token[:dot]))
		body, err := io.ReadAll(r.Body)
		var tree map[string]any
		id := uuid.New()
		if rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) != nil || err != nil || json.Unmarshal(body, &tree) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if _, err := pool.Exec(r.Context(), `INSERT INTO bare (id, body) VALUES ($1, $2)`, id, string(body)); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = fmt.Fprintf(w, `{"patientRequestId":%q}`, id)
	})
}
