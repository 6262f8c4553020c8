// Package testworld builds the surroundings of a test: practices, their staff and patients,
// applications with keys and receivers, a clock, and the program, in process or as a process
// of its own.
//
// [Serve] is for most tests. [Open] and [World.Start] are for tests that stop or kill
// processes, and [SharedSandbox] and [NewSandbox] for tests of the sandbox. A test waits with
// clocktest.Eventually. These are the kinds of test, as example_test.go runs them.
//
// # A decision: earlier events, the decision, and its events or its refusal
//
//	func TestDecision(t *testing.T) {
//		t.Parallel()
//		given := eventtest.Given[practice.Practice]
//		register := func(p practice.Practice) ([]event.Event, error) {
//			return p.Register("elm-street", "Elm Street", "Europe/London")
//		}
//		registered := practice.Registered{Name: "Elm Street", TimeZone: "Europe/London"}
//
//		given().When(register).Then(t, registered)
//		given(registered).When(register).Refuses(t, practice.ErrTenantTaken)
//	}
//
// # A command, on the store in memory
//
//	func TestCommandOnStoreInMemory(t *testing.T) {
//		t.Parallel()
//		store := commandtest.NewStore()
//		desk := commands.Desk{Store: store, Patients: store, Staff: store, Now: commandtest.NewClock(commandtest.Noon).Now}
//
//		err := desk.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: "elm-street", Name: "Elm Street"})
//		testworld.Must(t, err)
//		_, err = desk.CreateNote(t.Context(), commands.CreateNote{Tenant: "elm-street", Text: "A cough"})
//		if !errors.Is(err, patient.ErrUnknown) || len(store.Log()) != 1 {
//			t.Errorf("a note about an unknown patient: %v, log %v", err, store.Log())
//		}
//	}
//
// # A call, in process
//
//	func TestCallInProcess(t *testing.T) {
//		t.Parallel()
//		w := testworld.Serve(t)
//		elm := w.Practice("elm-street")
//		triage := w.Application("Triage Helper", elm).Grant(access.OpenCareRecord)
//		body := fmt.Sprintf(`{"patientId":%q}`, w.Patient(elm, "Ann Archer"))
//
//		if answer := triage.Call(elm, access.OpenCareRecord, body); answer.Status != http.StatusOK {
//			t.Errorf("answered %d %s", answer.Status, answer.Body)
//		}
//		other := w.Practice("oak-lane")
//		if answer := triage.Call(other, access.OpenCareRecord, body); answer.Status != http.StatusForbidden {
//			t.Errorf("at a practice that has not enabled it: answered %d %s", answer.Status, answer.Body)
//		}
//	}
//
// # A process that is killed
//
//	func TestKilledProcess(t *testing.T) {
//		t.Parallel()
//		w := testworld.Open(t)
//		elm := w.Practice("elm-street")
//		triage := w.Application("Triage Helper", elm).Grant(access.CreatePatientRequest)
//		body := fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient",
//			"response":[{"question":"healthConcern","answer":"A cough"}]}`, w.Patient(elm, "Ann Archer"))
//
//		w.Start().Kill()
//		w.Start()
//		if answer := triage.Call(elm, access.CreatePatientRequest, body); answer.Status != http.StatusOK {
//			t.Errorf("the next process answered %d %s", answer.Status, answer.Body)
//		}
//	}
//
// # A webhook that is received
//
//	func TestWebhook(t *testing.T) {
//		t.Parallel()
//		w := testworld.Serve(t)
//		elm := w.Practice("elm-street")
//		triage := w.Application("Triage Helper", elm).Grant(access.OpenCareRecord)
//		receiver := triage.Receive(application.RecordOpened)
//		triage.Call(elm, access.OpenCareRecord, fmt.Sprintf(`{"patientId":%q}`, w.Patient(elm, "Ann Archer")))
//
//		if webhook := receiver.Await(1)[0]; webhook.Event.Kind() != "record.opened" || webhook.TenantID != elm {
//			t.Errorf("received %s of %s", webhook.Event.Kind(), webhook.TenantID)
//		}
//	}
//
// # A staff page
//
//	func TestStaffPage(t *testing.T) {
//		t.Parallel()
//		w := testworld.Serve(t)
//		elm := w.Practice("elm-street")
//		w.Member(elm, "rose", staff.Receptionist)
//		w.Patient(elm, "Ann Archer")
//
//		page := w.SignIn(elm, "rose", "patients")
//		clocktest.Eventually(t, func() bool {
//			page.Open(w.URL() + "/" + elm + "/staff/patients")
//			page.Send(url.Values{"name": {"archer"}})
//			return strings.Contains(page.Page, "Ann Archer")
//		}, "the patient is found")
//		page.Shows("1 patient found")
//	}
package testworld
