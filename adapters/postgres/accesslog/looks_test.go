package accesslog_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// A look is a line like a call's: found by each patient that it has shown, and no change of
// it goes undetected.
func TestLookIsFoundByItsPatients_D91(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	ann, bob, member := patient.ID{UUID: event.NewID()}, patient.ID{UUID: event.NewID()}, staff.ID{UUID: event.NewID()}
	both := access.Look(event.NewID(), recordedAt, "elm-street", member, "inbox", []patient.ID{bob, ann})
	nobody := access.Look(event.NewID(), recordedAt, "elm-street", member, "search", nil)
	call := aCall()
	call.Patient = ann
	for _, c := range []access.Call{both, nobody, call} {
		r.Record(c)
	}
	r.runOnce(t)
	r.wantWritten(t, both, nobody, call)
	for name, c := range map[string]struct {
		filter accesslog.CallFilter
		want   []access.Call
	}{
		"ann":    {accesslog.CallFilter{Patient: ann}, []access.Call{both, call}},
		"bob":    {accesslog.CallFilter{Patient: bob}, []access.Call{both}},
		"eve":    {accesslog.CallFilter{Patient: patient.ID{UUID: uuid.New()}}, nil},
		"search": {accesslog.CallFilter{Endpoint: "search"}, []access.Call{nobody}},
		"member": {accesslog.CallFilter{Staff: member, Patient: bob}, []access.Call{both}},
	} {
		if diff := cmp.Diff(c.want, r.written(t, c.filter)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	rows := r.rows(t)
	if !rows[0].Shows(ann) || rows[1].Shows(ann) || rows[2].Shows(ann) || rows[0].Shows(patient.ID{UUID: member.UUID}) {
		t.Errorf("stored are %+v", rows)
	}
	enginetest.MustExec(t, r.db.AdminPool(t), `ALTER TABLE access_record_default DISABLE TRIGGER USER; UPDATE access_record_default SET act = '{"patients":[]}' WHERE endpoint = 'inbox'`)
	if r.rows(t)[0].Hash() == rows[0].Hash() {
		t.Error("a change of the patients that the look has shown is not detected")
	}
}

// The first line of an answer's own topic says when an application was shown it.
func TestAnswerShownFirst_D162(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	ann, app, asked, answer := patient.ID{UUID: event.NewID()}, application.ID{UUID: event.NewID()}, event.NewID(), event.NewID()
	shown := func(after time.Duration, tenant string, things ...uuid.UUID) {
		caller := access.Caller{Claim: access.Claim{Tenant: tenant, Application: app}}
		caller.Endpoint.Name = access.RequestOutcome
		r.Record(access.ShownTo(event.NewID(), recordedAt.Add(after), caller, []patient.ID{ann}, things...))
	}
	shown(time.Second, "elm-street", asked)             // while it was open
	shown(time.Second, "elm-street", asked, uuid.New()) // an earlier answer
	shown(time.Second, "oak-lane", asked, answer)
	shown(2*time.Second, "elm-street", asked, answer)
	shown(3*time.Second, "elm-street", asked, answer)
	r.runOnce(t)
	for of, want := range map[uuid.UUID]time.Time{answer: recordedAt.Add(2 * time.Second), uuid.New(): {}} {
		if at, err := r.read.AnswerShown(t.Context(), "elm-street", access.AnswerTopic(app, asked, of)); err != nil || !at.Equal(want) {
			t.Errorf("it was shown at %v, error %v; want %v", at, err, want)
		}
	}
}

// Among many calls, and in every partition, looks are found by their index.
func TestLooksAreReadByIndex_D91(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	enginetest.MustExec(t, r.db.AdminPool(t), `
		CREATE TABLE access_record_9 PARTITION OF access_record FOR VALUES FROM ('90000000-0000-0000-0000-000000000000') TO ('a0000000-0000-0000-0000-000000000000');
		INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, patient, status, code, reason, act, token_hash)
		SELECT md5(n::text)::uuid, now(), 'elm', gen_random_uuid(), CASE WHEN n % 10 = 0 THEN 'page' ELSE 'user-restricted' END, 'inbox', NULL, 200, '', '',
			CASE WHEN n % 10 = 0 THEN jsonb_build_object('patients', jsonb_build_array(md5((n % 7000)::text)::uuid, gen_random_uuid()))::text END, '\x00'
		FROM generate_series(1, 20000) n;
		ANALYZE access_record`)
	f := accesslog.CallFilter{Patient: patient.ID{UUID: uuid.New()}}
	rows, _ := r.Pool.Query(t.Context(), "EXPLAIN "+accesslog.ReadCalls(f), accesslog.CallArgs(f, 100)...)
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(plan, "\n")
	if !strings.Contains(text, "access_record_default_expr_idx") || strings.Contains(text, "Seq Scan on access_record") {
		t.Errorf("the plan is\n%s", text)
	}
}
