package commands_test

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/appointment"
	"frontdesk/domain/audit"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/display"
	"frontdesk/domain/epoch"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/domain/signingkey"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// town is two practices with one object of each kind, and a desk.
type town struct {
	*commandtest.Store
	desk  commands.Desk
	elm   oneOfEach
	oak   oneOfEach
	app   application.ID
	asked erasure.ID // of the patient of elm, for tests that need it
}

// oneOfEach is one object of each kind, by the type of its identifier.
type oneOfEach map[reflect.Type]uuid.UUID

func newTown(t *testing.T) *town {
	t.Helper()
	w := &town{Store: commandtest.NewStore()}
	w.desk = commands.Desk{
		Store: w, Patients: w, Staff: w, Links: w, Receptions: w, Responses: w, Erasures: w, Passwords: passwords{},
		Vault:    &vault{kept: map[signingkey.KID]bool{}},
		CheckURL: func(string) error { return nil }, Now: noon, AuthorisationLifetime: time.Hour,
	}
	w.app = made[application.ID](t)(w.desk.RegisterApplication(t.Context(), commands.RegisterApplication{Name: "Helper", JWKSURL: keysURL}))
	w.elm, w.oak = w.settle(t, elm), w.settle(t, oak)
	return w
}

func (w *town) settle(t *testing.T, tenant string) oneOfEach {
	t.Helper()
	ctx, d := t.Context(), w.desk
	must(t, d.RegisterPractice(ctx, commands.RegisterPractice{Tenant: tenant, Name: tenant}))
	may := made[staff.ID](t)(d.RegisterStaff(ctx, commands.RegisterStaff{
		Tenant: tenant, Username: "dr.may", Name: "Dr May", Email: "may@practice.example", Roles: staff.AllRoles(), Password: oldPassword,
	}))
	ann := made[patient.ID](t)(d.RegisterPatient(ctx, commands.RegisterPatient{Tenant: tenant, Name: "Ann"}))
	main := made[site.ID](t)(d.AddSite(ctx, commands.AddSite{Tenant: tenant, Name: "Main"}))
	room := made[site.RoomID](t)(d.AddRoom(ctx, commands.AddRoom{Tenant: tenant, Site: main, Name: "1"}))
	booked := made[appointment.ID](t)(d.BookAppointment(ctx, commands.BookAppointment{Tenant: tenant, Patient: ann, Site: main, At: noon()}))
	note := made[record.NoteID](t)(d.CreateNote(ctx, commands.CreateNote{Tenant: tenant, Patient: ann, Text: "a cough"}))
	sent := made[request.ID](t)(d.SubmitPatientRequest(ctx, commands.SubmitPatientRequest{Tenant: tenant, Submission: request.Submission{Patient: ann, Application: w.app, Type: request.Medical}}))
	screen := made[commands.DisplayLink](t)(d.AddDisplay(ctx, commands.AddDisplay{Tenant: tenant, Name: "Hall", Site: main, Naming: display.Number}))
	team := made[staff.TeamID](t)(d.AddTeam(ctx, commands.AddTeam{Tenant: tenant, Name: "Reception", Members: []staff.ID{may}}))
	return oneOfEach{
		reflect.TypeFor[staff.ID](): may.UUID, reflect.TypeFor[patient.ID](): ann.UUID, reflect.TypeFor[site.ID](): main.UUID,
		reflect.TypeFor[site.RoomID](): room.UUID, reflect.TypeFor[appointment.ID](): booked.UUID, reflect.TypeFor[record.NoteID](): note.UUID,
		reflect.TypeFor[request.ID](): sent.UUID, reflect.TypeFor[display.ID](): screen.Display.UUID, reflect.TypeFor[application.ID](): w.app.UUID,
		reflect.TypeFor[staff.TeamID](): team.UUID, identifierType: ann.UUID, // the subject of an erasure
	}
}

// streams are the streams that have begun, and how many events each has.
func (w *town) streams() map[event.Stream]int {
	found := map[event.Stream]int{}
	for _, e := range w.Log() {
		found[e.Stream]++
	}
	return found
}

// notYet are streams of practices and of the service that have not begun, and whose
// identifiers can be predicted.
func (w *town) notYet() (all []event.Stream) {
	other := application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000d1")}
	tomorrow := noon().AddDate(0, 0, 1)
	for _, tenant := range []string{elm, oak, "pine-close"} {
		all = append(all, practice.StreamOf(tenant), practice.ClosuresStream(tenant), staff.TeamStream(tenant), practice.EnablementStream(tenant, other))
		for _, typ := range request.Types() {
			all = append(all, practice.IntakeStream(tenant, typ))
		}
		all = append(all, staff.TriesStream(tenant, staff.ID{UUID: w.oak[reflect.TypeFor[staff.ID]()]}, tomorrow), application.WebhookTestStream(tenant, w.app, tomorrow),
			authorisation.StreamOf(tenant, authorisation.Subject{Application: other}))
	}
	return append(all, signingkey.StreamOf(), epoch.StreamOf(), audit.StreamOfArchive("access_record_2026_04"),
		application.RereadStream(w.app, tomorrow))
}

// Texts of intents, by the names of their fields. Other fields are "text".
var texts = map[string]string{
	"Tenant": elm, "Username": "dr.may", "BirthDate": "1980-02-29", "TimeZone": "Europe/London", "JWKSURL": keysURL, "URL": "https://app.example/hook",
	"Callback": "https://app.example/back", "Callbacks": "https://app.example/back", "Hours": "mon 08:00-12:30", "Password": newPassword, "Email": "may@practice.example", "Telephone": "020 7946 0958", "NHSNumber": "9434765919", "RequestType": string(request.Medical),
	"Type": string(request.Medical), "Naming": string(display.Number), "Outcome": string(request.Replied), "Event": string(application.RecordOpened),
	"Endpoint": string(access.OpenCareRecord), "Mode": string(application.UserRestricted), "Usernames": "dr.may", "Roles": string(staff.Manager),
	"Basis": string(erasure.CourtOrder), "Kind": string(appointment.Telephone),
}

// identifierType is the underlying type of all identifiers.
var identifierType = reflect.TypeFor[uuid.UUID]()

// isIdentifier reports whether a type is that of an identifier.
func isIdentifier(typ reflect.Type) bool {
	return typ == identifierType || typ.Kind() == reflect.Struct && typ.NumField() == 1 && typ.Field(0).Anonymous && typ.Field(0).Type == identifierType
}

// fill fills an intent with ordinary values, and returns the places of its identifiers.
// A registered person is new.
func (w *town) fill(v reflect.Value, intent, field string) (ids []reflect.Value) {
	switch {
	case isIdentifier(v.Type()):
		if id, ok := w.elm[v.Type()]; ok && !strings.HasPrefix(intent, "Register") && intent != "ImportPatients" {
			set(v, id)
		}
		return []reflect.Value{v}
	case v.Type() == reflect.TypeFor[time.Time]():
		at := noon().Add(time.Hour)
		if field == "Until" {
			at = at.Add(time.Hour)
		}
		v.Set(reflect.ValueOf(at))
	case v.Kind() == reflect.String:
		text, named := texts[field]
		if !named {
			text = "text"
		}
		v.SetString(text)
	case v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct:
		v.Set(reflect.New(v.Type().Elem()))
		return w.fill(v.Elem(), intent, field)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		return w.fill(v.Index(0), intent, field)
	case v.Type() == reflect.TypeFor[event.HolderKind]():
		v.Set(reflect.ValueOf(event.OfPatient))
	case v.Type() == reflect.TypeFor[practice.Receptions](), v.Type() == reflect.TypeFor[audit.Queried]():
	case v.Kind() == reflect.Struct:
		for n := range v.NumField() {
			if v.Field(n).CanSet() {
				ids = append(ids, w.fill(v.Field(n), intent, v.Type().Field(n).Name)...)
			}
		}
	}
	return ids
}

func set(v reflect.Value, id uuid.UUID) {
	if v.Type() != identifierType {
		v = v.Field(0)
	}
	v.Set(reflect.ValueOf(id))
}

// carryOut fills and edits an intent, carries it out, and returns how many events each
// stream has then.
func (w *town) carryOut(t *testing.T, intent string, edit func(ids []reflect.Value)) map[event.Stream]int {
	t.Helper()
	ids := func(_ reflect.Value, ids []reflect.Value) { edit(ids) }
	if err := w.attempt(t, intent, ids); errors.Is(err, event.ErrConflict) || errors.Is(err, event.ErrForeign) {
		t.Errorf("%s has met a stream of another kind: %v", intent, err)
	}
	return w.streams()
}

// attempt fills and edits an intent, carries it out, and returns its error.
func (w *town) attempt(t *testing.T, intent string, edit func(intent reflect.Value, ids []reflect.Value)) error {
	t.Helper()
	method := reflect.ValueOf(w.desk).MethodByName(intent)
	c := reflect.New(method.Type().In(1)).Elem()
	edit(c, w.fill(c, intent, ""))
	answers := method.Call([]reflect.Value{reflect.ValueOf(event.WithMetadata(t.Context(), typed)), c})
	err, _ := reflect.TypeAssert[error](answers[len(answers)-1])
	return err
}

// No identifier makes an intent begin, or add to, a stream of another practice, of the
// service or of another kind. That holds for streams that have begun and for those
// whose identifiers can be predicted.
func TestNoIntentTakesAStream(t *testing.T) {
	t.Parallel()
	var idle []string
	for intent := range reflect.TypeFor[commands.Desk]().Methods() {
		if intent.Type.NumIn() != 3 {
			continue // it has no arguments
		}
		w, fields := newTown(t), 0
		before, targets := w.streams(), w.targets()
		after := w.carryOut(t, intent.Name, func(ids []reflect.Value) { fields = len(ids) })
		if maps.Equal(before, after) {
			idle = append(idle, intent.Name)
		}
		for n, target := range targets {
			ordinary := after[target] - before[target]
			for field := range fields {
				takesNone(t, intent.Name, field, n, ordinary)
			}
		}
	}
	if diff := cmp.Diff(needMore, idle); diff != "" {
		t.Errorf("intents that append nothing, so that the walk shows less of them (-want +got):\n%s", diff)
	}
}

// needMore are the intents that append nothing in a new town: most of them end or
// change an object that does not exist there.
var needMore = []string{
	"AcceptLink", "ActivateSigningKey", "AddPasskey", "BreakGlass", "ChangePassword", "ChangePatientRequestUrgency", "ClearCallIn", "ConfirmErasure",
	"ConnectDisplay", "DisableApplication", "ErasePractitioner", "EraseStaff", "GivePatientRequest", "GrantPatientScopedAuthorisation", "InviteAgain",
	"LiftErasureHold", "OpenAttachment", "PutOffPatientRequest", "ReLinkPatientRequest", "ReactivateStaff", "RegisterPractice", "RemoveCallback", "RemovePasskey",
	"RemoveWebhook", "ReopenPatientRequest", "ReopenPractice", "RequestReset", "ResumeRequestType", "RetireSigningKey", "RevokeEndpoint", "RevokeUserAuthorisation",
	"SetJWKSURL", "SetPasskeyRule", "SwitchRequestTypeOn", "TestWebhook", "UndoAppointmentStep", "UnmarkPatientScoped", "WithdrawErasure", "WithdrawReset",
}

// takesNone carries out an intent with the identifier of one of the targets in a field
// of another kind. The stream gets no more events than in the ordinary course.
func takesNone(t *testing.T, intent string, field, n, ordinary int) {
	t.Helper()
	w := newTown(t)
	before, target := w.streams(), w.targets()[n]
	same := event.Stream{Tenant: elm, ID: target.ID}
	after := w.carryOut(t, intent, func(ids []reflect.Value) { set(ids[field], target.ID) })
	if after[target]-before[target] > ordinary || same != target && after[same] != before[same] {
		t.Errorf("%s: identifier %d is %s, of %q: its stream got %d events, and that of %q %d",
			intent, field, target.ID, target.Tenant, after[target]-before[target], elm, after[same]-before[same])
	}
}

// targets are the streams that have begun, in the order in which they did, and those that
// have not.
func (w *town) targets() (all []event.Stream) {
	for _, e := range w.Log() {
		if e.Version == 1 {
			all = append(all, e.Stream)
		}
	}
	return append(all, w.notYet()...)
}

// Nothing is added to a stream that holds events of another kind, whatever the cause.
func TestUpdateRefusesForeignStream(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stream func(*town) event.Stream
		change func(context.Context, *town) error
	}{
		"update": {
			func(w *town) event.Stream { return site.StreamOf(elm, idOf[site.ID](w)) },
			func(ctx context.Context, w *town) error {
				return w.desk.RenameSite(ctx, commands.RenameSite{Tenant: elm, Site: idOf[site.ID](w), Name: "Annexe"})
			},
		},
		"update of what was seen": {
			func(w *town) event.Stream { return appointment.StreamOf(elm, idOf[appointment.ID](w)) },
			func(ctx context.Context, w *town) error {
				return w.desk.MarkArrived(ctx, commands.MarkArrived{Tenant: elm, Appointment: idOf[appointment.ID](w)})
			},
		},
		"once a minute": {
			func(w *town) event.Stream { return application.RereadStream(w.app, noon()) },
			func(ctx context.Context, w *town) error {
				_, err := w.desk.RereadKeySet(ctx, commands.RereadKeySet{Application: w.app})
				return err
			},
		},
		"withdraw an erasure": {
			func(w *town) event.Stream { return patient.StreamOf(elm, idOf[patient.ID](w)) },
			func(ctx context.Context, w *town) error {
				return w.desk.WithdrawErasure(ctx, commands.WithdrawErasure{Person: w.ann(), Erasure: w.asked, Reason: "a mistake"})
			},
		},
		"erase again": {
			func(w *town) event.Stream { return patient.StreamOf(elm, idOf[patient.ID](w)) },
			func(ctx context.Context, w *town) error {
				return w.desk.ReapplyErasure(ctx, commands.ReapplyErasure{Person: w.ann(), Erasure: w.asked})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTown(t)
			ctx := event.WithMetadata(t.Context(), typed)
			asked, err := w.desk.ErasePatient(ctx, commands.ErasePatient{Tenant: elm, Patient: idOf[patient.ID](w), Basis: erasure.CourtOrder, Reason: "an order"})
			must(t, err)
			w.asked = asked.Erasure
			stream := test.stream(w)
			_, err = w.Append(ctx, event.Change{Stream: stream, Expected: w.streams()[stream], Events: []event.Event{practice.Closed{From: noon()}}})
			must(t, err)
			before := w.streams()
			if err := test.change(ctx, w); !errors.Is(err, event.ErrForeign) || errors.Is(err, event.ErrConflict) {
				t.Errorf("error = %v, want %v", err, event.ErrForeign)
			}
			if after := w.streams(); !maps.Equal(before, after) {
				t.Errorf("streams (-before +after):\n%s", cmp.Diff(before, after))
			}
		})
	}
}

// A decision's refusal comes first, also in a stream that holds events of another kind.
func TestRefusalComesBeforeForeignStream(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	ctx := event.WithMetadata(t.Context(), typed)
	stream := patient.StreamOf(elm, idOf[patient.ID](w))
	_, err := w.Append(ctx, event.Change{Stream: stream, Expected: w.streams()[stream], Events: []event.Event{practice.Closed{From: noon()}}})
	must(t, err)
	wantRefusal(t, w.desk.WithdrawErasure(ctx, commands.WithdrawErasure{Person: w.ann(), Reason: "a mistake"}), erasure.ErrNotRequested)
	unknown := commands.RenameSite{Tenant: elm, Site: site.ID{UUID: practice.StreamOf(elm).ID}, Name: "Annexe"}
	wantRefusal(t, w.desk.RenameSite(t.Context(), unknown), site.ErrUnknown)
}

func idOf[ID any](w *town) (id ID) {
	set(reflect.ValueOf(&id).Elem(), w.elm[reflect.TypeFor[ID]()])
	return id
}

// ann is the patient, as the subject of an erasure.
func (w *town) ann() erasure.Person {
	return erasure.Person{Tenant: elm, Kind: event.OfPatient, Holder: idOf[patient.ID](w).UUID}
}
