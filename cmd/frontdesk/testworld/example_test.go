package testworld_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

func TestMain(m *testing.M) { testworld.Main(m) }

func TestDecision(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[practice.Practice]
	register := func(p practice.Practice) ([]event.Event, error) {
		return p.Register("elm-street", "Elm Street", "Europe/London")
	}
	registered := practice.Registered{Name: "Elm Street", TimeZone: "Europe/London"}

	given().When(register).Then(t, registered)
	given(registered).When(register).Refuses(t, practice.ErrTenantTaken)
}

func TestCommandOnStoreInMemory(t *testing.T) {
	t.Parallel()
	store := commandtest.NewStore()
	desk := commands.Desk{Store: store, Patients: store, Staff: store, Now: commandtest.NewClock(commandtest.Noon).Now}

	err := desk.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: "elm-street", Name: "Elm Street"})
	testworld.Must(t, err)
	_, err = desk.CreateNote(t.Context(), commands.CreateNote{Tenant: "elm-street", Text: "A cough"})
	if !errors.Is(err, patient.ErrUnknown) || len(store.Log()) != 1 {
		t.Errorf("a note about an unknown patient: %v, log %v", err, store.Log())
	}
}

func TestCallInProcess(t *testing.T) {
	t.Parallel()
	w := testworld.Serve(t)
	elm := w.Practice("elm-street")
	triage := w.Application("Triage Helper", elm).Grant(access.OpenCareRecord)
	body := fmt.Sprintf(`{"patientId":%q}`, w.Patient(elm, "Ann Archer"))

	if answer := triage.Call(elm, access.OpenCareRecord, body); answer.Status != http.StatusOK {
		t.Errorf("answered %d %s", answer.Status, answer.Body)
	}
	other := w.Practice("oak-lane")
	if answer := triage.Call(other, access.OpenCareRecord, body); answer.Status != http.StatusForbidden {
		t.Errorf("at a practice that has not enabled it: answered %d %s", answer.Status, answer.Body)
	}
}

func TestKilledProcess(t *testing.T) {
	t.Parallel()
	w := testworld.Open(t)
	elm := w.Practice("elm-street")
	triage := w.Application("Triage Helper", elm).Grant(access.CreatePatientRequest)
	body := fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient",
		"response":[{"question":"healthConcern","answer":"A cough"}]}`, w.Patient(elm, "Ann Archer"))

	w.Start().Kill()
	w.Start()
	if answer := triage.Call(elm, access.CreatePatientRequest, body); answer.Status != http.StatusOK {
		t.Errorf("the next process answered %d %s", answer.Status, answer.Body)
	}
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	w := testworld.Serve(t)
	elm := w.Practice("elm-street")
	triage := w.Application("Triage Helper", elm).Grant(access.OpenCareRecord)
	receiver := triage.Receive(application.RecordOpened)
	triage.Call(elm, access.OpenCareRecord, fmt.Sprintf(`{"patientId":%q}`, w.Patient(elm, "Ann Archer")))

	if webhook := receiver.Await(1)[0]; webhook.Event.Kind() != "record.opened" || webhook.TenantID != elm {
		t.Errorf("received %s of %s", webhook.Event.Kind(), webhook.TenantID)
	}
}

func TestStaffPage(t *testing.T) {
	t.Parallel()
	w := testworld.Serve(t)
	elm := w.Practice("elm-street")
	w.Member(elm, "rose", staff.Receptionist)
	w.Patient(elm, "Ann Archer")

	page := w.SignIn(elm, "rose", "patients")
	clocktest.Eventually(t, func() bool {
		page.Open(w.URL() + "/" + elm + "/staff/patients")
		page.Send(url.Values{"name": {"archer"}})
		return strings.Contains(page.Page, "Ann Archer")
	}, "the patient is found")
	page.Shows("1 patient found")
}

// The package's documentation shows the tests of this file as they are.
func TestDocShowsTests(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("example_test.go")
	testworld.Must(t, err)
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "doc.go", nil, parser.ParseComments)
	testworld.Must(t, err)
	examples, err := parser.ParseFile(files, "example_test.go", source, 0)
	testworld.Must(t, err)
	shown := parsed.Doc.Text()
	for _, declared := range examples.Decls {
		test, ok := declared.(*ast.FuncDecl)
		if !ok || test.Name.Name == "TestMain" || test.Name.Name == t.Name() {
			continue
		}
		text := string(source[files.Position(test.Pos()).Offset:files.Position(test.End()).Offset])
		if !strings.Contains(shown, "\t"+strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\n\t"), "\n\t\n", "\n\n")) {
			t.Errorf("doc.go does not show %s as it is", test.Name.Name)
		}
		if lines := strings.Count(text, "\n") + 1; lines > 17 {
			t.Errorf("%s has %d lines: a test of its kind is to be short", test.Name.Name, lines)
		}
	}
}
