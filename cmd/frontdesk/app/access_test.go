package app_test

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands/commandtest"
)

// desk is a program, its database, and an application that pings it.
type desk struct {
	*app.App
	db         *postgrestest.Database
	integrator bearertest.Application
	stop       func()
	ended      chan error
}

func open(t *testing.T) *desk {
	t.Helper()
	d := replica(t, postgrestest.New(t))
	d.integrator, _ = onboard(t, d.App)
	return d
}

// replica is a program on a database that others may serve, too. Its clock shows noon.
func replica(t *testing.T, db *postgrestest.Database) *desk {
	t.Helper()
	d := &desk{db: db, ended: make(chan error, 1)}
	service, err := app.New(t.Context(), app.Config{
		DatabaseURL: d.db.URL, Listen: "127.0.0.1:0", PrivateListen: "127.0.0.1:0", APIDomain: "frontdesk.test", DefaultTenant: "elm-street",
		AllowNetwork: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MasterKey: sealing.MasterKey{1}, Now: commandtest.NewClock(commandtest.Noon).Now,
	})
	must(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	d.App, d.stop = service, cancel
	done := make(chan struct{})
	go func() { defer close(done); d.ended <- service.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return d
}

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
	record := postgres.AccessRecord{DB: postgres.On(d.db.Pool(t))}
	for call, err := range record.Calls(t.Context(), postgres.CallFilter{}) {
		must(t, err)
		ids = append(ids, call.RequestID)
	}
	slices.Reverse(ids)
	return ids
}

func TestWhatWasCalledBeforeAShutdownIsRecorded_D37(t *testing.T) {
	t.Parallel()
	d := open(t)
	var want []uuid.UUID
	for range 20 {
		want = append(want, d.ping(t))
	}
	d.stop()
	must(t, <-d.ended)
	if got := d.recorded(t); !slices.Equal(got, want) {
		t.Errorf("recorded %v, want %v", got, want)
	}
}

func TestTheAccessRecordNeverBlocksACall_D37(t *testing.T) {
	t.Parallel()
	d := open(t)
	locked, err := d.db.AdminPool(t).Begin(t.Context())
	must(t, err)
	_, err = locked.Exec(t.Context(), `LOCK TABLE access_record IN ACCESS EXCLUSIVE MODE`)
	must(t, err)
	var want []uuid.UUID
	for range 20 {
		want = append(want, d.ping(t)) // and is answered
	}
	must(t, locked.Rollback(t.Context()))
	d.stop()
	must(t, <-d.ended)
	if got := d.recorded(t); !slices.Equal(got, want) {
		t.Errorf("recorded %v, want %v", got, want)
	}
}
