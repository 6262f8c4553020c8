package app_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
)

// desk is a program, its database, and an application that pings it.
type desk struct {
	*testworld.World
	integrator bearertest.Application
}

func open(t *testing.T) *desk {
	t.Helper()
	d := replica(t, postgrestest.New(t))
	d.integrator, _ = onboard(t, d.App())
	return d
}

// replica is a program on a database that other programs may also serve. Its clock shows
// noon.
func replica(t *testing.T, db *postgrestest.Database) *desk {
	t.Helper()
	return &desk{World: (&testworld.World{DB: db}).Serve(t, oneTenant)}
}

// oneTenant has a program serve one practice at any host.
func oneTenant(c *app.Config) { c.DefaultTenant = "elm-street" }

// ping is one call that is allowed, and its request id.
func (d *desk) ping(t *testing.T) uuid.UUID {
	t.Helper()
	status, id := d.call(t, d.integrator.Token(d.Desk.Now()))
	if status != http.StatusOK {
		t.Fatalf("answered %d", status)
	}
	return id
}

// call pings with a token.
func (d *desk) call(t *testing.T, token string) (status int, id uuid.UUID) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.URL()+"/transactional-api/ping", nil)
	must(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	defer response.Body.Close()
	return response.StatusCode, uuid.MustParse(response.Header.Get("X-Request-Id"))
}

// recorded are the request ids in the access record, in order.
func (d *desk) recorded(t *testing.T) (ids []uuid.UUID) {
	t.Helper()
	record := accesslog.Record{DB: postgres.On(d.DB.Pool(t))}
	for call, err := range record.Calls(t.Context(), accesslog.CallFilter{}) {
		must(t, err)
		ids = append(ids, call.RequestID)
	}
	slices.Reverse(ids)
	return ids
}

func TestShutdownRecordsAcceptedCalls_D37(t *testing.T) {
	t.Parallel()
	d := open(t)
	var want []uuid.UUID
	for range 20 {
		want = append(want, d.ping(t))
	}
	must(t, d.Stop())
	if got := d.recorded(t); !slices.Equal(got, want) {
		t.Errorf("recorded %v, want %v", got, want)
	}
}

func TestShutdownRecordsRepeats_D173(t *testing.T) {
	t.Parallel()
	d := open(t)
	must(t, d.Desk.DisableApplication(t.Context(), commands.DisableApplication{Tenant: "elm-street", Application: d.integrator.ID}))
	var last uuid.UUID
	for range 30 {
		var status int
		if status, last = d.call(t, d.integrator.Token(d.Desk.Now())); status != http.StatusForbidden {
			t.Fatalf("answered %d", status)
		}
	}
	must(t, d.Stop())
	var lines, calls int
	for line, err := range (accesslog.Record{DB: postgres.On(d.DB.Pool(t))}).Calls(t.Context(), accesslog.CallFilter{}) {
		must(t, err)
		if line.Repeats > 0 && line.RequestID != last {
			t.Errorf("the repeats are with the call %s, want the last, %s", line.RequestID, last)
		}
		lines, calls = lines+1, calls+1+line.Repeats
	}
	if lines != 11 || calls != 30 {
		t.Errorf("%d lines represent %d calls, want 11 and 30", lines, calls)
	}
}

func TestTheAccessRecordNeverBlocksACall_D37(t *testing.T) {
	t.Parallel()
	d := open(t)
	locked, err := d.DB.AdminPool(t).Begin(t.Context())
	must(t, err)
	_, err = locked.Exec(t.Context(), `LOCK TABLE access_record IN ACCESS EXCLUSIVE MODE`)
	must(t, err)
	var want []uuid.UUID
	for range 20 {
		want = append(want, d.ping(t)) // and is answered
	}
	must(t, locked.Rollback(t.Context()))
	must(t, d.Stop())
	if got := d.recorded(t); !slices.Equal(got, want) {
		t.Errorf("recorded %v, want %v", got, want)
	}
}
