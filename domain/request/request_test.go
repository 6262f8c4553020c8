package request_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

var (
	proxy      = &request.Proxy{FirstName: "Bea", LastName: "Archer", RelationshipToPatient: "mother"}
	submission = request.Submission{
		Patient: patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")},
		Type:    request.Medical, Requester: request.ByProxy, Proxy: proxy, HighPriority: true,
		Response: []request.Answer{{Question: "healthConcern", Answer: "a cough"}, {Question: "recentContact", Answer: ""}},
	}
)

func TestARequestIsSubmittedAsItIs(t *testing.T) {
	t.Parallel()
	eventtest.Decided(request.Submit(submission), nil).Then(t, request.Submitted(submission))
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, sent(), inError, taken, given, givenToTeam, request.PutOff{Patient: ann, Until: "2026-05-03", Team: gps}, calm, noted, completed, answered, reopened, reLinked, opened, fileSeen)
}

func TestDetailsAreJudgedWheneverTheyAreGiven_D20(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		requester request.Requester
		given     *request.Proxy
		want      *request.Proxy
		codes     []string
	}{
		"of a proxy":              {request.ByProxy, proxy, proxy, nil},
		"of a proxy, missing":     {request.ByProxy, nil, nil, []string{"missing-proxy-details"}},
		"of a proxy, blank":       {request.ByProxy, &request.Proxy{FirstName: " ", LastName: "A", RelationshipToPatient: ""}, nil, []string{"invalid-proxy-details", "invalid-proxy-details"}},
		"of a patient":            {request.ByPatient, proxy, nil, nil},
		"of a patient, none":      {request.ByPatient, nil, nil, nil},
		"of a patient, blank":     {request.ByPatient, &request.Proxy{FirstName: "B", LastName: "A", RelationshipToPatient: "\t"}, nil, []string{"invalid-proxy-details"}},
		"of an unknown requester": {"", nil, nil, nil},
	} {
		got, faults := test.requester.Proxy(test.given)
		if diff := cmp.Diff(test.codes, codes(faults)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if faults == nil && got != test.want {
			t.Errorf("%s: kept %v", name, got)
		}
	}
}

func TestUnknownTypeHasNoQuestions_D2(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	for name, test := range map[string]struct {
		typ   request.Type
		items []request.Item
		codes []string
	}{
		"a key":                     {request.Medical, []request.Item{{Question: text("recentContact")}}, nil},
		"a key of another type":     {request.Admin, []request.Item{{Question: text("recentContact")}}, []string{"invalid-question"}},
		"a key of an unknown type":  {"", []request.Item{{Question: text("x")}}, nil},
		"an empty key of one":       {"", []request.Item{{Question: text("")}}, nil},
		"no key of an unknown type": {"", []request.Item{{}, {Question: text("")}, {}}, []string{"invalid-question", "invalid-question"}},
		"no items":                  {request.Medical, nil, []string{"empty-response"}},
	} {
		_, faults := test.typ.Answers(test.items)
		if diff := cmp.Diff(test.codes, codes(faults)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func codes(faults fault.List) (found []string) {
	for _, f := range faults {
		found = append(found, f.Code)
	}
	return found
}
