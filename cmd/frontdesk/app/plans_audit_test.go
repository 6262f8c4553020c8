package app_test

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/webhooks"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/audit"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/directory"
)

// change gives the commands that no call and no page gives.
func (l *lively) change() {
	l.t.Helper()
	ctx, desk, id := l.t.Context(), l.Desk, l.integrator.ID
	const elm = "elm-street"
	room, err := desk.AddRoom(ctx, commands.AddRoom{Tenant: elm, Site: l.site, Name: "Room 1"})
	l.must(err)
	visit, err := desk.BookAppointment(ctx, commands.BookAppointment{Tenant: elm, Patient: l.patient, Site: l.site, At: desk.Now()})
	l.must(err)
	l.must(desk.MarkPatientScoped(ctx, commands.MarkPatientScoped{Application: id}))
	_, err = desk.GrantPatientScopedAuthorisation(ctx, commands.GrantPatientScopedAuthorisation{Tenant: elm, Application: id, Username: "kim", Patient: l.patient})
	for _, err := range []error{
		err,
		desk.CallInPatient(ctx, commands.CallInPatient{Tenant: elm, Appointment: visit, Room: room}),
		desk.MarkArrived(ctx, commands.MarkArrived{Tenant: elm, Appointment: visit}),
		desk.MoveAppointment(ctx, commands.MoveAppointment{Tenant: elm, Appointment: visit, At: desk.Now().Add(time.Hour)}),
		desk.CancelAppointment(ctx, commands.CancelAppointment{Tenant: elm, Appointment: visit}),
		desk.RenameSite(ctx, commands.RenameSite{Tenant: elm, Site: l.site, Name: "Main building"}),
		desk.RenameRoom(ctx, commands.RenameRoom{Tenant: elm, Room: room, Name: "Nurse"}),
		desk.RestrictPatientRecord(ctx, commands.RestrictPatientRecord{Tenant: elm, Patient: l.patient, Usernames: []string{"kim"}}),
		desk.RestrictPatientRecord(ctx, commands.RestrictPatientRecord{Tenant: elm, Patient: l.patient}),
		desk.SwitchRequestTypeOff(ctx, commands.SwitchRequestTypeOff{Tenant: elm, RequestType: request.Types()[0]}),
		desk.PauseRequestType(ctx, commands.PauseRequestType{Tenant: elm, RequestType: request.Types()[0], Until: desk.Now().Add(time.Hour)}),
		desk.SetOpeningHours(ctx, commands.SetOpeningHours{Tenant: elm, RequestType: request.Types()[0], Hours: []string{"mon 08:00-12:30"}}),
		desk.ClosePractice(ctx, commands.ClosePractice{Tenant: elm}),
		desk.ReopenPractice(ctx, commands.ReopenPractice{Tenant: elm}),
		desk.SetJWKSURL(ctx, commands.SetJWKSURL{Application: id, JWKSURL: "https://app.example/jwks"}),
		desk.RemoveCallback(ctx, commands.RemoveCallback{Application: id, Callback: "https://app.example/cb"}),
		desk.RevokeUserAuthorisation(ctx, commands.RevokeUserAuthorisation{Tenant: elm, Application: id, Username: "kim"}),
	} {
		l.must(err)
	}
	_, err = desk.SetPassword(ctx, commands.SetPassword{Tenant: elm, Username: "kim", Password: livelyPassword + "2"})
	l.must(err)
	l.must(desk.DeactivateStaff(ctx, commands.DeactivateStaff{Tenant: elm, Username: "kim"}))
	l.handle(elm)
	l.manage(elm)
	l.forget(elm)
}

// handle has a request handled, and looks at it and at lists of others.
func (l *lively) handle(tenant string) {
	l.t.Helper()
	ctx, desk, requests := l.t.Context(), l.Desk, l.Requests()
	other, err := desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: tenant, Name: "Bill"})
	l.must(err)
	var id request.ID
	l.must(l.db.QueryRow(ctx, `SELECT request FROM attachments WHERE tenant = $1 LIMIT 1`, tenant).Scan(&id))
	member, err := l.Staff.AnyStaffByUsername(ctx, tenant, "dr.lee")
	l.must(err)
	found, err := requests.Find(ctx, tenant, id)
	l.must(err)
	_, err = desk.OpenPatientRequest(ctx, commands.OpenPatientRequest{Tenant: tenant, Request: id})
	l.must(err)
	_, err = desk.OpenAttachment(ctx, commands.OpenAttachment{Tenant: tenant, Request: id, Attachment: found.Attachments[0].ID})
	l.must(err)
	team, err := desk.AddTeam(ctx, commands.AddTeam{Tenant: tenant, Name: "Doctors", Members: []staff.ID{member}})
	l.must(err)
	for _, err := range []error{
		desk.GivePatientRequest(ctx, commands.GivePatientRequest{Tenant: tenant, Request: id, To: request.Holder{Member: member}}),
		desk.GivePatientRequest(ctx, commands.GivePatientRequest{Tenant: tenant, Request: id, From: request.Holder{Member: member}, To: request.Holder{Team: team}}),
		desk.PutOffPatientRequest(ctx, commands.PutOffPatientRequest{Tenant: tenant, Request: id, By: member, Until: desk.Now().AddDate(0, 0, 3).Format(time.DateOnly)}),
		desk.ChangeTeam(ctx, commands.ChangeTeam{Tenant: tenant, Team: team, Name: "GPs of old", Members: []staff.ID{member}}),
		desk.RemoveTeam(ctx, commands.RemoveTeam{Tenant: tenant, Team: team}),
		desk.NotePatientRequest(ctx, commands.NotePatientRequest{Tenant: tenant, Request: id, Text: "Rang."}),
		desk.ReLinkPatientRequest(ctx, commands.ReLinkPatientRequest{Tenant: tenant, Request: id, From: l.patient, To: other, Reason: "Bill's."}),
		desk.CompletePatientRequest(ctx, commands.CompletePatientRequest{Tenant: tenant, Request: id, By: member, Completion: request.Completion{Outcome: request.Replied}}),
	} {
		l.must(err)
	}
	l.wait("the inbox follows", `SELECT count(*) FROM inbox WHERE tenant = 'elm-street' AND done_at IS NOT NULL`)
	inbox := projections.Inbox{DB: requests.DB}
	for _, tab := range projections.InboxTabs() {
		_, _, err := inbox.Page(ctx, tenant, projections.InboxFilter{Tab: tab, Member: member, Today: "2026-03-02"}, 50)
		l.must(err)
	}
	_, err = inbox.Counts(ctx, tenant, member, "2026-03-02")
	l.must(err)
	_, _, err = inbox.OfPatient(ctx, tenant, other, projections.InboxPlace{}, 20)
	l.must(err)
	moved, err := requests.Moved(ctx, tenant, other)
	l.must(err)
	if len(moved) != 1 || !moved[0].Theirs {
		l.t.Errorf("moved: %v", moved)
	}
}

// forget erases a patient whose erasure was requested a day ago.
func (l *lively) forget(tenant string) {
	l.t.Helper()
	by := func(operator string) context.Context {
		return event.WithMetadata(l.t.Context(), event.Metadata{Actor: event.Operator(operator, "")})
	}
	gone, err := l.Desk.RegisterPatient(by("alice"), commands.RegisterPatient{Tenant: tenant, Name: "Cleo"})
	l.must(err)
	yesterday := l.Desk
	yesterday.Now = func() time.Time { return l.Desk.Now().Add(-erasure.Soonest) }
	asked, err := yesterday.ErasePatient(by("alice"), commands.ErasePatient{Tenant: tenant, Patient: gone, Basis: erasure.CourtOrder, Reason: "an order"})
	l.must(err)
	l.must(postgres.MoveClock(l.t.Context(), l.db.Config().ConnString(), erasure.Soonest))
	l.must(l.Desk.ConfirmErasure(by("bob"), commands.ConfirmErasure{Person: asked.Person, Erasure: asked.Erasure}))
	_, err = l.NotErased(l.t.Context())
	l.must(err)
	l.must(l.NoteErasures(l.t.Context()))
}

// manage has a manager in person give links and roles.
func (l *lively) manage(tenant string) {
	l.t.Helper()
	ctx := event.WithMetadata(l.t.Context(), event.Metadata{Actor: event.Staff(uuid.Max)})
	_, err := l.Desk.InviteStaff(ctx, commands.InviteStaff{Tenant: tenant, Username: "pat", Name: "Pat", Email: "pat@elm.example"})
	l.must(err)
	link, err := l.Desk.InviteAgain(ctx, commands.InviteAgain{Tenant: tenant, Username: "pat"})
	l.must(err)
	_, err = l.Desk.AcceptLink(ctx, commands.AcceptLink{Tenant: tenant, Secret: link.Secret, Password: livelyPassword})
	l.must(err)
	l.must(l.Desk.SetStaffRoles(ctx, commands.SetStaffRoles{Tenant: tenant, Username: "pat", Roles: staff.Roles{staff.Clinician}}))
	_, err = l.Desk.ResetStaff(ctx, commands.ResetStaff{Tenant: tenant, Username: "pat"})
	l.must(err)
	_, err = l.Desk.ReactivateStaff(ctx, commands.ReactivateStaff{Tenant: tenant, Username: "kim"})
	l.must(err)
}

// audit runs the auditors' queries, with each filter.
func (l *lively) audit(db *postgrestest.Database) {
	l.t.Helper()
	ctx := l.t.Context()
	engine, err := app.Open(ctx, app.Config{
		DatabaseURL: strings.Replace(db.URL, postgres.AppRole, postgres.SignerRole, 1), MasterKeys: sealing.NewRing(sealing.MasterKey{1}), Tracer: l.sent,
	})
	l.must(err)
	defer engine.Close()
	l.wait("calls are recorded", `SELECT count(*) FROM access_record WHERE tenant = 'elm-street'`)
	l.must(l.Drain(ctx))
	member, err := engine.Staff.AnyStaffByUsername(ctx, "elm-street", "kim")
	l.must(err)
	recently := l.Desk.Now().Add(-time.Hour)
	for _, f := range []auditing.EventFilter{
		{Tenant: "elm-street"}, {Tenant: "elm-street", Staff: member}, {Tenant: "elm-street", Since: recently},
		{Since: recently}, {Until: l.Desk.Now().AddDate(-3, 0, 0)}, {Patient: l.patient}, {Patient: l.patient, Requests: []uuid.UUID{uuid.Max}}, {Stream: l.integrator.ID.UUID},
	} {
		end, err := engine.Auditor.End(ctx, f)
		l.must(err)
		for _, err := range engine.Auditor.Events(ctx, f, end) {
			l.must(err)
		}
	}
	var call access.Call
	for _, f := range []accesslog.CallFilter{
		{Tenant: "elm-street"}, {Staff: member}, {Patient: l.patient}, {Since: recently}, {Tenant: "elm-street", Patient: l.patient}, {Application: l.integrator.ID},
	} {
		calls, err := engine.Auditor.Calls(ctx, auditing.CallFilter{CallFilter: f}, 1)
		l.must(err)
		for _, found := range calls {
			if found.Mode != access.ByPage { // which no rule of calls has judged
				call = found
			}
		}
	}
	_, err = engine.Auditor.Calls(ctx, auditing.CallFilter{Outcome: auditing.Failed}, 1000)
	l.must(err)
	question, _, err := engine.Auditor.QuestionOf(ctx, call.RequestID)
	l.must(err)
	_, err = engine.Auditor.Explain(ctx, question, nil)
	l.must(err)
	index := engine.PatientIndex()
	for range 2 { // the second time it looks for changes
		_, _, err = index.Search(ctx, "elm-street", "a", 10)
		l.must(err)
	}
	l.must(engine.Auditor.RecordReading(ctx, "elm-street", "auditor", audit.Queried{Command: "log", Patient: l.patient}))
	for _, f := range []webhooks.Filter{{Limit: 100}, {Tenant: "elm-street", Limit: 100}, {Status: webhooks.Failed, Limit: 100}, {Application: l.integrator.ID, Limit: 100}} {
		_, err := engine.Deliveries().List(ctx, f)
		l.must(err)
	}
	_, err = engine.Attachments.Attachment(ctx, request.AttachmentID{UUID: uuid.New()})
	if err == nil {
		l.t.Error("no file is found")
	}
	l.list(engine)
	l.pack(engine)
	l.prove(engine)
}

// list reads one page of each of the operators' lists, and the current state of a practice to
// which a file is applied.
func (l *lively) list(engine *app.Engine) {
	l.t.Helper()
	ctx, all := l.t.Context(), engine.Registers()
	_, err := all.Practices(ctx, directory.Practice{}, 10)
	l.must(err)
	for _, tenant := range []string{"", "elm-street"} {
		_, err = all.Applications(ctx, tenant, directory.Application{}, 10)
		l.must(err)
	}
	for _, app := range []application.ID{{}, l.integrator.ID} {
		_, err = all.Webhooks(ctx, app, directory.Webhook{}, 10)
		l.must(err)
	}
	_, err = all.Authorisations(ctx, "elm-street", l.Desk.Now(), directory.Authorisation{}, 10)
	l.must(err)
	_, err = all.PatientScoped(ctx, "elm-street", l.Desk.Now())
	l.must(err)
	_, err = engine.People().After(ctx, "elm-street", "", 10)
	l.must(err)
	_, err = engine.People().Count(ctx, "elm-street")
	l.must(err)
	_, err = engine.People().Named(ctx, "elm-street", []string{"kim"})
	l.must(err)
}

// pack runs the queries of a pack of one patient's data, except those of the log and the
// access record.
func (l *lively) pack(engine *app.Engine) {
	l.t.Helper()
	ctx, directory := l.t.Context(), engine.Directory()
	_, err := engine.Deliveries().Of(ctx, []uuid.UUID{uuid.New(), uuid.New()})
	l.must(err)
	for _, look := range []func(context.Context, string, uuid.UUID) (string, error){directory.Staff, directory.Site, directory.Room} {
		name, err := look(ctx, "elm-street", uuid.New())
		l.must(err)
		if name != "" {
			l.t.Errorf("no person has the name %q", name)
		}
	}
	_, err = directory.Application(ctx, l.integrator.ID.UUID)
	l.must(err)
	_, err = engine.Practices().Find(ctx, "elm-street")
	l.must(err)
}
