package app_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/httpapi"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/request"
)

// trips counts the round trips to the database that each call waits for.
type trips struct {
	mu sync.Mutex
	of map[string]int // by the id of the call
}

func (c *trips) count(ctx context.Context) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of[httpapi.RequestID(ctx)]++
	return ctx
}

// TraceQueryStart counts a statement that is sent outside a batch.
func (c *trips) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return c.count(ctx)
}

// TraceBatchStart counts statements that are sent together.
func (c *trips) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return c.count(ctx)
}

// TraceQueryEnd, TraceBatchQuery and TraceBatchEnd have nothing to add.
func (c *trips) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData)     {}
func (c *trips) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (c *trips) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// busy is a practice whose calls are counted.
type busy struct {
	*testworld.World
	trips
	caller bearertest.Application
}

func newBusy(t *testing.T) (b *busy, patient string) {
	t.Helper()
	b = &busy{trips: trips{of: map[string]int{}}}
	b.World = testworld.Serve(t, oneTenant, func(c *app.Config) { c.Tracer = &b.trips })
	b.caller, patient = onboard(t, b.App())
	for _, endpoint := range access.Grantable() {
		must(t, b.Desk.GrantEndpoint(t.Context(), commands.GrantEndpoint{Application: b.caller.ID, Grant: application.Grant{Endpoint: endpoint, Mode: application.ApplicationRestricted}}))
	}
	return b, patient
}

// answer returns the body of an answer.
func (b *busy) answer(t *testing.T, method, path, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, b.URL()+"/transactional-api/"+path, strings.NewReader(body))
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+b.caller.Token(b.Desk.Now()))
	response, err := http.DefaultClient.Do(r)
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	return string(text)
}

// call returns the status of the answer and the round trips that it took.
func (b *busy) call(t *testing.T, method, path, body, key string) (status, took int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, b.URL()+"/transactional-api/"+path, strings.NewReader(body))
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+b.caller.Token(b.Desk.Now()))
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	response, err := http.DefaultClient.Do(r)
	must(t, err)
	must(t, response.Body.Close())
	b.mu.Lock()
	defer b.mu.Unlock()
	return response.StatusCode, b.of[response.Header.Get("X-Request-Id")]
}

// A patient request takes two: the first reads rights and receptions. The second appends, and
// refuses a patient whom the practice does not have.
func TestACallTakesFewRoundTrips_D74(t *testing.T) {
	t.Parallel()
	b, ann := newBusy(t)
	nobody := strings.Repeat("0", 8) + ann[8:]
	about := func(id, more string) string { return fmt.Sprintf(`{"patientId":%q%s}`, id, more) }
	wants := func(what, method, path, body, key string, status, trips int) {
		t.Helper()
		if code, took := b.call(t, method, path, body, key); code != status || took != trips {
			t.Errorf("%s: %d after %d round trips, want %d after %d", what, code, took, status, trips)
		}
	}
	post := func(what, path, body, key string, status, trips int) {
		t.Helper()
		wants(what, http.MethodPost, path, body, key, status, trips)
	}
	wants("ping", http.MethodGet, "ping", "", "", 200, 1)
	wants("what is known of its keys", http.MethodGet, "application/key-set", "", "", 200, 1)
	wants("how it stands", http.MethodGet, "application", "", "", 200, 2)
	wants("the portal", http.MethodGet, "request-type-availability", "", "", 200, 2)
	post("a request", "create-patient-request", requestBody(ann), "", 200, 2)
	post("with a key", "create-patient-request", requestBody(ann), "k", 200, 3)
	post("made again", "create-patient-request", requestBody(ann), "k", 200, 3) // a repeated answer is confirmed (D105)
	post("for nobody", "create-patient-request", requestBody(nobody), "", 400, 2)
	post("a note", "create-note", about(ann, `,"note":"a cough"`), "", 200, 2)
	post("an opening", "open-care-record", about(ann, ""), "", 200, 2)
	must(t, b.Desk.SwitchRequestTypeOff(t.Context(), commands.SwitchRequestTypeOff{Tenant: "elm-street", RequestType: request.Medical}))
	post("switched off", "create-patient-request", requestBody(ann), "", 400, 2)
	for range 2 {
		post("switched off, for nobody", "create-patient-request", requestBody(nobody), "", 400, 2)
	}
}
