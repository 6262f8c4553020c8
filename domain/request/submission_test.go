package request_test

import (
	"encoding/json"
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

const annID = "0190c7a2-0000-7000-8000-0000000000a1"

var (
	ann        = patient.ID{UUID: uuid.MustParse(annID)}
	proxy      = &request.Proxy{FirstName: "Bea", LastName: "Archer", RelationshipToPatient: "mother"}
	submission = request.Submission{
		Patient: ann, Type: request.Medical, Requester: request.ByProxy, Proxy: proxy, HighPriority: true,
		Response: []request.Answer{{Question: "healthConcern", Answer: "a cough"}, {Question: "recentContact", Answer: ""}},
	}
)

// body is a sound JSON body, with some members replaced.
func body(t *testing.T, members string) any {
	t.Helper()
	return merged(t, `{
		"patientId": "0190C7A2-0000-7000-8000-0000000000A1", "requestType": "medical", "requester": "proxy",
		"isHighPriority": true,
		"proxyDetails": {"firstName": "Bea", "lastName": "Archer", "relationshipToPatient": "mother"},
		"response": [{"question": "healthConcern", "answer": "a cough"}, {"question": "recentContact", "answer": ""}]}`, members)
}

func merged(t *testing.T, texts ...string) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, text := range texts {
		var members map[string]any
		if err := json.Unmarshal([]byte(text), &members); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		maps.Copy(all, members)
	}
	return all
}

func codes(err error) []string {
	var found []string
	if list, ok := errors.AsType[fault.List](err); ok {
		for _, f := range list {
			found = append(found, f.Code)
		}
	} else if f, ok := errors.AsType[*fault.Error](err); ok {
		found = []string{f.Code}
	}
	return found
}

func TestASoundBodyIsRead_2_1(t *testing.T) {
	t.Parallel()
	got, err := request.Parse(body(t, `{"unknown": {"any": ["thing"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(submission, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFaultsOfTheBody_7_1(t *testing.T) {
	t.Parallel()
	for members, want := range map[string][]string{
		// D20, patientId
		`{"patientId": null}`: {"missing-patient-id"},
		`{"patientId": ""}`:   {"missing-patient-id"},
		`{"patientId": "x"}`:  {"invalid-patient-id"},
		`{"patientId": 7}`:    {"invalid-patient-id"},
		`{"patientId": []}`:   {"invalid-patient-id"},
		`{"patientId": "{0190c7a2-0000-7000-8000-0000000000a1}"}`:        {"invalid-patient-id"},
		`{"patientId": "urn:uuid:0190c7a2-0000-7000-8000-0000000000a1"}`: {"invalid-patient-id"},
		`{"patientId": "0190c7a200007000800000000000000a1"}`:             {"invalid-patient-id"},
		`{"patientId": " 0190c7a2-0000-7000-8000-0000000000a1"}`:         {"invalid-patient-id"},
		// requestType; then questions are judged by being strings alone
		`{"requestType": null}`: {"invalid-request-type"},
		`{"requestType": 1}`:    {"invalid-request-type"},
		`{"requestType": "Medical", "response": [{"question": "anything", "answer": "x"}]}`: {"invalid-request-type"},
		`{"requestType": {}, "response": [{"question": 1, "answer": "x"}]}`:                 {"invalid-request-type", "invalid-question"},
		// requester; then absent details are not missed
		`{"requester": null, "proxyDetails": null}`:                                         {"invalid-requester"},
		`{"requester": "nurse", "proxyDetails": null}`:                                      {"invalid-requester"},
		`{"requester": "nurse", "proxyDetails": {}}`:                                        {"invalid-requester", "invalid-proxy-details", "invalid-proxy-details", "invalid-proxy-details"},
		`{"proxyDetails": null}`:                                                            {"missing-proxy-details"},
		`{"proxyDetails": "Bea"}`:                                                           {"invalid-proxy-details"},
		`{"requester": "patient", "proxyDetails": []}`:                                      {"invalid-proxy-details"},
		`{"proxyDetails": {"firstName": " ", "lastName": "A", "relationshipToPatient": 3}}`: {"invalid-proxy-details", "invalid-proxy-details"},
		// response
		`{"response": null}`: {"empty-response"},
		`{"response": []}`:   {"empty-response"},
		`{"response": {}}`:   {"empty-response"},
		`{"response": "x"}`:  {"empty-response"},
		`{"response": [{"question": "requestDetails", "answer": "x"}]}`:                 {"invalid-question"},
		`{"response": [{"answer": "x"}, {"question": "healthconcern", "answer": "x"}]}`: {"invalid-question", "invalid-question"},
		`{"requestType": "admin"}`: {"invalid-question", "invalid-question"},
		`{"requestType": "admin", "response": [{"question": "requestDetails", "answer": "x"}]}`:                      nil,
		`{"response": [{"question": "healthConcern", "answer": "x"}, {"question": "healthConcern", "answer": "y"}]}`: nil,
		// what §7.1 has no code for is reported alone
		`{"patientId": 1, "response": [7]}`:                                           {"invalid-request-body"},
		`{"patientId": 1, "response": [{"question": "healthConcern"}]}`:               {"invalid-request-body"},
		`{"response": [{"question": "healthConcern", "answer": null}]}`:               {"invalid-request-body"},
		`{"patientId": 1, "isHighPriority": "yes"}`:                                   {"invalid-request-body"},
		`{"isHighPriority": 0}`:                                                       {"invalid-request-body"},
		`{"PatientId": "x"}`:                                                          {"invalid-request-body"},
		`{"PATIENTID": "x", "patientId": 1}`:                                          {"invalid-request-body"},
		`{"response": [{"question": "healthConcern", "answer": "x", "Answer": "y"}]}`: {"invalid-request-body"},
		`{"proxyDetails": {"FirstName": "x"}}`:                                        {"invalid-request-body"},
		`{"Attachments": []}`:                                                         {"invalid-request-body"},
		// all at once, in the order of the table
		`{"patientId": 1, "requestType": 1, "requester": 1, "proxyDetails": 1, "response": 1}`: {
			"invalid-patient-id", "invalid-request-type", "invalid-requester", "invalid-proxy-details", "empty-response"},
	} {
		_, err := request.Parse(body(t, members))
		if diff := cmp.Diff(want, codes(err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", members, diff)
		}
	}
}

func TestTheBodyIsAnObject_D19(t *testing.T) {
	t.Parallel()
	for _, tree := range []any{nil, "x", true, []any{}, 7.0} {
		if _, err := request.Parse(tree); !errors.Is(err, request.ErrInvalidBody) {
			t.Errorf("%v: %v", tree, err)
		}
	}
	_, err := request.Parse(map[string]any{})
	want := []string{"missing-patient-id", "invalid-request-type", "invalid-requester", "empty-response"}
	if diff := cmp.Diff(want, codes(err)); diff != "" {
		t.Errorf("an empty object (-want +got):\n%s", diff)
	}
}

func TestAFaultNamesItsPlace_D2(t *testing.T) {
	t.Parallel()
	_, err := request.Parse(body(t, `{"response": [{"question": "healthConcern", "answer": ""}, {"question": "x", "answer": ""}]}`))
	f, ok := errors.AsType[*fault.Error](err)
	if want := "response[1].question is none of: healthConcern, recentContact."; !ok || f.Detail != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestDetailsOfNoProxyAreNotKept_D20(t *testing.T) {
	t.Parallel()
	got, err := request.Parse(body(t, `{"requester": "patient", "isHighPriority": null}`))
	if err != nil || got.Proxy != nil || got.HighPriority {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestARequestIsSubmittedOnce(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[request.Request]
	submit := func(r request.Request) ([]event.Event, error) { return r.Submit(submission) }

	given().When(submit).Then(t, request.Submitted(submission))
	given(request.Submitted(submission)).When(submit).Refuses(t, request.ErrExists)
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, request.Submitted(submission))
}
