package accesslog_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// register is an access record on a database of the test's own.
type register struct {
	*accesslog.Recorder
	db       *postgrestest.Database
	registry *prometheus.Registry
	read     accesslog.Record
}

func newRegister(t *testing.T) *register {
	t.Helper()
	r := &register{db: postgrestest.New(t), registry: prometheus.NewRegistry()}
	pool := r.db.Pool(t)
	r.Recorder = accesslog.NewRecorder(pool, r.registry, slog.New(slog.DiscardHandler))
	r.Pace, r.Retry = time.Millisecond, 10*time.Millisecond
	r.Keys, _ = r.keyring(t)
	r.read = accesslog.Record{DB: postgres.On(pool), Page: 2, Keys: r.Keys}
	r.practice(t, "elm-street")
	return r
}

// written returns the written calls, oldest first.
func (r *register) written(t *testing.T, f accesslog.CallFilter) (calls []access.Call) {
	t.Helper()
	for c, err := range r.read.Calls(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		c.Idx = 0 // calls that are yet to be recorded have none
		calls = append([]access.Call{c}, calls...)
	}
	return calls
}

func (r *register) wantWritten(t *testing.T, want ...access.Call) {
	t.Helper()
	if diff := cmp.Diff(want, r.written(t, accesslog.CallFilter{})); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
}

func (r *register) wantLost(t *testing.T, want float64) {
	t.Helper()
	if got := enginetest.Counter(t, r.registry, "frontdesk_access_records_lost_total"); got != want {
		t.Errorf("%v are counted as lost, want %v", got, want)
	}
}

// runOnce runs the recorder as at a shutdown: it writes the queued lines at the end.
func (r *register) runOnce(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.Run(ctx)
}

var recordedAt = time.Date(2026, 3, 2, 12, 0, 0, 123_456_000, time.UTC)

// aCall is a call of which everything is known.
func aCall() access.Call {
	return access.Call{
		RequestID: event.NewID(), At: recordedAt, Tenant: "elm-street", Application: application.ID{UUID: uuid.New()},
		Mode: application.UserRestricted, Staff: staff.ID{UUID: uuid.New()}, Endpoint: access.CreatePatientRequest,
		Patient: patient.ID{UUID: uuid.New()}, Status: 403, Code: "unauthorized", Reason: "The app is – not authorised",
		Act:       &event.OnBehalfOf{Practitioner: event.Practitioner{Name: "Dr Zoë", Email: "zoe@elm.example"}},
		TokenHash: event.Digest{1, 2, 255},
	}
}

// aPing is a call of which as little is known as can be.
func aPing() access.Call {
	return access.Call{
		RequestID: event.NewID(), At: recordedAt, Tenant: "elm-street", Application: application.ID{UUID: uuid.New()},
		Mode: application.ApplicationRestricted, Endpoint: access.Ping, Status: 200, TokenHash: event.Digest{7},
	}
}

func TestACallIsRecordedAsItWas_D37(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	whole, sparse := aCall(), aPing()
	r.Record(whole)
	r.Record(sparse)
	r.runOnce(t)
	r.wantWritten(t, whole, sparse)
	r.wantLost(t, 0)
}

func TestQueuedCallsAreWritten_D37(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	r.Batch, r.Retry = 2, time.Hour // woken only by the calls
	enginetest.RunUntilCleanup(t, r.Run)
	var want []access.Call
	for range 5 {
		want = append(want, aPing())
		r.Record(want[len(want)-1])
	}
	clocktest.Eventually(t, func() bool { return len(r.written(t, accesslog.CallFilter{})) == 5 }, "five calls are recorded")
	later := aPing()
	r.Record(later)
	clocktest.Eventually(t, func() bool { return len(r.written(t, accesslog.CallFilter{})) == 6 }, "and a later one")
	r.wantWritten(t, append(want, later)...)
}

func TestACallIsRecordedOnce_D37(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	call := aCall()
	r.Record(call)
	r.Record(call) // as when a commit was not heard of
	r.runOnce(t)
	r.wantWritten(t, call)
	r.wantLost(t, 0)
}

func TestFullQueueCountsLostCalls_D37(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	r.Limit = 2
	first, second := aPing(), aPing()
	for _, c := range []access.Call{first, second, aPing(), aPing(), aPing()} {
		r.Record(c) // there is no writer: a call that waited would never return
	}
	r.wantLost(t, 3)
	r.runOnce(t)
	r.wantWritten(t, first, second)
	r.Record(aPing())
	r.wantLost(t, 4)
}

func TestCallsWaitForRefusingDatabase_D37(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	admin := r.db.AdminPool(t)
	enginetest.MustExec(t, admin, `ALTER TABLE access_record RENAME TO away`)
	tries := make(chan struct{}, 1)
	r.Log = slog.New(onRecord(func() {
		select {
		case tries <- struct{}{}:
		default:
		}
	}))
	enginetest.RunUntilCleanup(t, r.Run)
	call := aCall()
	r.Record(call)
	<-tries
	enginetest.MustExec(t, admin, `ALTER TABLE away RENAME TO access_record`)
	clocktest.Eventually(t, func() bool { return len(r.written(t, accesslog.CallFilter{})) == 1 }, "the call is recorded")
	r.wantWritten(t, call)
	r.wantLost(t, 0)
}

func TestUnwrittenCallsCountAsLost_D37(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	r.Batch = 2
	nobody, err := pgxpool.New(t.Context(), "postgres://frontdesk@127.0.0.1:1/frontdesk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nobody.Close)
	r.Pool = nobody
	for range 5 {
		r.Record(aPing())
	}
	refused := aCall()
	for range 25 {
		r.Record(refused)
	}
	r.runOnce(t)
	r.wantLost(t, 30)
}

func TestUnwritableLineIsLostAlone_D37(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	before, after, bad := aPing(), aPing(), aPing()
	bad.Reason = "no text has a \x00"
	for _, c := range []access.Call{before, bad, after} {
		r.Record(c)
	}
	r.runOnce(t)
	r.wantWritten(t, before, after)
	r.wantLost(t, 1)
}

func TestTheAccessRecordIsAppendOnly_D37(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	call := aCall()
	r.Record(call)
	r.runOnce(t)
	for _, statement := range []string{
		`UPDATE access_record SET status = 200`, `DELETE FROM access_record`, `TRUNCATE access_record`,
	} {
		for name, pool := range map[string]*pgxpool.Pool{"serving role": r.Pool, "owner": r.db.AdminPool(t)} {
			if _, err := pool.Exec(t.Context(), statement); err == nil {
				t.Errorf("%s: %s is not refused", name, statement)
			}
		}
	}
	r.wantWritten(t, call)
}

// onRecord is a log that calls a function for each record.
type onRecord func()

func (onRecord) Enabled(context.Context, slog.Level) bool    { return true }
func (f onRecord) Handle(context.Context, slog.Record) error { f(); return nil }
func (f onRecord) WithAttrs([]slog.Attr) slog.Handler        { return f }
func (f onRecord) WithGroup(string) slog.Handler             { return f }

// A shutdown ends the runs of refusals.
func TestRepeatsAreRecorded_D173(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	call := aCall()
	for range 25 {
		call.RequestID = event.NewID()
		if !r.Record(call) {
			t.Fatal("a refusal is lost")
		}
	}
	r.runOnce(t)
	lines := r.written(t, accesslog.CallFilter{})
	if len(lines) != 11 {
		t.Fatalf("25 equal refusals have %d lines, want 11", len(lines))
	}
	call.Repeats = 14
	if diff := cmp.Diff(call, lines[10]); diff != "" {
		t.Errorf("the last line (-want +got):\n%s", diff)
	}
	r.wantLost(t, 0)
}
