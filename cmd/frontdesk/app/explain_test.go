package app_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// history is an engine whose practices go on at random: the same for the same
// seed.
type history struct {
	*app.Engine
	live         projections.Querier
	random       *rand.Rand
	at           time.Time
	tenants      []string
	usernames    []string
	applications []application.ID
	patients     []patient.ID
}

func newHistory(t *testing.T) *history {
	t.Helper()
	db := postgrestest.New(t)
	h := &history{
		live: db.Pool(t), random: rand.New(rand.NewPCG(6, 4)), at: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC),
		tenants: []string{"elm-street", "oak-lane"}, usernames: []string{"dr.lee", "kim"},
		patients: []patient.ID{{UUID: uuid.New()}, {UUID: uuid.New()}},
	}
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: db.URL, Now: func() time.Time { return h.at }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	h.Engine = engine
	for range 2 {
		id, err := h.RegisterApplication.Handle(t.Context(), commands.RegisterApplication{
			Name: "App", JWKSURL: "https://app.example/jwks", Callbacks: []string{"https://app.example/cb"}, PatientScoped: true})
		must(t, err)
		h.applications = append(h.applications, id)
	}
	for _, tenant := range h.tenants {
		must(t, h.RegisterPractice.Handle(t.Context(), commands.RegisterPractice{Tenant: tenant, Name: tenant}))
		for _, username := range h.usernames {
			_, err := h.RegisterStaff.Handle(t.Context(), commands.RegisterStaff{Tenant: tenant, Username: username, Name: username, Email: "a@example.org"})
			must(t, err)
		}
		for _, id := range h.patients { // who are others at each practice (D18)
			_, err := h.RegisterPatient.Handle(t.Context(), commands.RegisterPatient{Tenant: tenant, Patient: id, Name: "Ann"})
			must(t, err)
		}
	}
	return h
}

func one[T any](h *history, of []T) T { return of[h.random.IntN(len(of))] }

var (
	explained = []application.Endpoint{application.CreateNote, application.CreateNote, application.CallInPatient}
	modes     = []application.Mode{application.UserRestricted, application.UserRestricted, application.ApplicationRestricted}
)

// happen lets one thing happen that authorisation depends on, if its rule lets
// it.
func (h *history) happen(ctx context.Context) error {
	h.at = h.at.Add(one(h, []time.Duration{2 * time.Second, time.Minute, 2 * time.Hour}))
	tenant, id, username, about := one(h, h.tenants), one(h, h.applications), one(h, h.usernames), one(h, h.patients)
	grant := application.Grant{Endpoint: one(h, explained), Mode: one(h, modes)}
	switch h.random.IntN(14) {
	case 0, 1, 12:
		return h.EnableApplication.Handle(ctx, commands.EnableApplication{Tenant: tenant, Application: id})
	case 2:
		return h.DisableApplication.Handle(ctx, commands.DisableApplication{Tenant: tenant, Application: id})
	case 3, 4:
		return h.GrantEndpoint.Handle(ctx, commands.GrantEndpoint{Application: id, Grant: grant})
	case 5:
		return h.RevokeEndpoint.Handle(ctx, commands.RevokeEndpoint{Application: id, Grant: grant})
	case 6:
		_, err := h.GrantUserAuthorisation.Handle(ctx, commands.GrantUserAuthorisation{Tenant: tenant, Application: id, Username: username})
		return err
	case 7, 8, 9:
		_, err := h.GrantPatientScopedAuthorisation.Handle(ctx, commands.GrantPatientScopedAuthorisation{Tenant: tenant, Application: id, Username: username, Patient: about})
		return err
	case 10:
		return h.RevokeUserAuthorisation.Handle(ctx, commands.RevokeUserAuthorisation{Tenant: tenant, Application: id, Username: username})
	default:
		return h.RestrictPatientRecord.Handle(ctx, commands.RestrictPatientRecord{Tenant: tenant, Patient: about, Usernames: h.usernames[:h.random.IntN(2)]})
	}
}

// ask is a call that somebody may make now.
func (h *history) ask() app.Question {
	q := app.Question{
		At: h.at, Tenant: one(h, h.tenants), Application: one(h, h.applications),
		Endpoint: one(h, append(explained, application.Ping)), Mode: one(h, modes), Patient: one(h, h.patients).String(),
	}
	if q.Mode == application.UserRestricted {
		q.Username = one(h, append(h.usernames, "nobody"))
	}
	if h.random.IntN(30) == 0 {
		q.Application.UUID = uuid.New()
	}
	return q
}

// answer is what the live read models say to a call, by the code that serves.
func (h *history) answer(ctx context.Context, q app.Question) error {
	rights, err := projections.Judge{DB: h.live}.Rights(ctx, projections.Claim{
		Tenant: q.Tenant, Application: q.Application, Username: q.Username, Endpoint: q.Endpoint, Mode: q.Mode}, h.at)
	if err != nil {
		return err
	}
	caller, err := bearer.Admit(commands.Caller{Tenant: q.Tenant, Application: q.Application, Mode: q.Mode, Username: q.Username}, rights,
		bearer.Operation{Endpoint: q.Endpoint, NamesPatient: q.Endpoint.NamesPatient()})
	if err != nil || !q.Endpoint.NamesPatient() {
		return err
	}
	if err := caller.CheckPatient(q.Patient); err != nil {
		return err
	}
	return caller.CheckRecord(ctx, projections.Patients{DB: h.live}, patient.ID{UUID: uuid.MustParse(q.Patient)})
}

func TestExplanationsAgreeWithTheLiveService(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	type asked struct {
		app.Question
		answer error
	}
	var all []asked
	for range 400 {
		if err := h.happen(t.Context()); err != nil {
			if _, refused := errors.AsType[*fault.Error](err); !refused {
				t.Fatal(err)
			}
		}
		q := h.ask()
		all = append(all, asked{q, h.answer(t.Context(), q)})
	}
	must(t, h.Drain(t.Context()))
	ruled := map[app.Rule]int{}
	for _, q := range all {
		verdict, err := h.Explain(t.Context(), q.Question, nil)
		must(t, err)
		ruled[verdict.Rule]++
		want := ""
		if refusal, ok := errors.AsType[*fault.Error](q.answer); ok {
			want = refusal.Detail
		}
		if verdict.Reason != want || verdict.Allowed != (want == "") {
			t.Errorf("%+v: explained as %q, answered %q", q.Question, verdict.Reason, want)
		}
		h.wantEvidence(t, verdict)
	}
	for _, rule := range []app.Rule{app.RuleNone, app.RuleKnown, app.RuleEnabled, app.RuleGranted, app.RuleAuthorised, app.RuleScope, app.RuleRecord} {
		if ruled[rule] == 0 {
			t.Errorf("the history is too dull: %s decided nothing of %v", rule, ruled)
		}
	}
}

// wantEvidence fails unless what a rule went by bears out what it said.
func (h *history) wantEvidence(t *testing.T, v app.Verdict) {
	t.Helper()
	said := map[app.Rule]string{}
	for _, b := range v.Because {
		if said[b.Rule] = b.EventName(); b.Idx > v.Idx {
			t.Errorf("idx %d is evidence for what was known at idx %d", b.Idx, v.Idx)
		}
	}
	wrong := map[app.Rule]string{
		app.RuleKnown: "application.registered.v1", app.RuleEnabled: "practice.application-enabled.v1",
		app.RuleGranted: "application.endpoint-granted.v1", app.RuleRecord: "patient.restriction-lifted.v1",
	}
	if name := wrong[v.Rule]; name != "" && said[v.Rule] == name {
		t.Errorf("refused by %s because of %s", v.Rule, name)
	}
	if enabled := said[app.RuleEnabled]; v.Allowed && enabled != "practice.application-enabled.v1" {
		t.Errorf("allowed, and the last to say about %s is %q", app.RuleEnabled, enabled)
	}
}
