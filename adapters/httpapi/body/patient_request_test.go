package body_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/httpapi/body"
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

	scanID = request.AttachmentID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f1")}
	scan   = request.Attachment{
		ID: scanID, FileName: "rash.jpg", ContentType: "image/jpeg", Size: 3, SHA256: sha256.Sum256([]byte("abc")),
	}
)

// parse reads a patient request out of the tree of its body.
func parse(tree any) (request.Submission, error) {
	form := body.RequestOf(tree)
	return form.PatientRequest(form.Patient())
}

// sent is a valid JSON body, with some members replaced.
func sent(t *testing.T, members string) any {
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

func TestASoundBodyIsRead_2_1_D42(t *testing.T) {
	t.Parallel()
	got, err := parse(sent(t, `{"unknown": {"any": ["thing"]}}`))
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
		// requestType; then questions must only be strings
		`{"requestType": null}`: {"invalid-request-type"},
		`{"requestType": 1}`:    {"invalid-request-type"},
		`{"requestType": "Medical", "response": [{"question": "anything", "answer": "x"}]}`: {"invalid-request-type"},
		`{"requestType": {}, "response": [{"question": 1, "answer": "x"}]}`:                 {"invalid-request-type", "invalid-question"},
		// requester; then absent details are not a fault
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
		// a fault without a code in §7.1 is reported by itself
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
		_, err := parse(sent(t, members))
		if diff := cmp.Diff(want, codes(err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", members, diff)
		}
	}
}

func TestTheBodyIsAnObject_D19(t *testing.T) {
	t.Parallel()
	for _, tree := range []any{nil, "x", true, []any{}, 7.0} {
		if _, err := parse(tree); !errors.Is(err, body.ErrInvalid) {
			t.Errorf("%v: %v", tree, err)
		}
	}
	_, err := parse(map[string]any{})
	want := []string{"missing-patient-id", "invalid-request-type", "invalid-requester", "empty-response"}
	if diff := cmp.Diff(want, codes(err)); diff != "" {
		t.Errorf("an empty object (-want +got):\n%s", diff)
	}
}

func TestAFaultNamesItsPlace_D2(t *testing.T) {
	t.Parallel()
	_, err := parse(sent(t, `{"response": [{"question": "healthConcern", "answer": ""}, {"question": "x", "answer": ""}]}`))
	f, ok := errors.AsType[*fault.Error](err)
	if want := "response[1].question must be one of: healthConcern, recentContact."; !ok || f.Detail != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestDetailsOfNoProxyAreNotKept_D20(t *testing.T) {
	t.Parallel()
	got, err := parse(sent(t, `{"requester": "patient", "isHighPriority": null}`))
	if err != nil || got.Proxy != nil || got.HighPriority {
		t.Errorf("got %+v, %v", got, err)
	}
}

type object = map[string]any

// sound returns the expected reading of [scan] with changes.
func sound(changed object) object {
	file := object{
		"fileName": "rash.jpg", "contentType": "image/jpeg",
		"data": request.Content{ID: scanID, Base64: true, Size: 3, SHA256: scan.SHA256},
	}
	maps.Copy(file, changed)
	return file
}

func content(size int64) request.Content {
	return request.Content{ID: scanID, Base64: true, Size: size}
}

func withAttachments(t *testing.T, attachments any) object {
	t.Helper()
	all := sent(t, `{}`).(object)
	all["attachments"] = attachments
	return all
}

func TestAttachmentsAreNamedByTheEvent_2_4(t *testing.T) {
	t.Parallel()
	got, err := parse(withAttachments(t, []any{sound(nil), sound(object{"unknown": true})}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]request.Attachment{scan, scan}, got.Attachments); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, none := range []any{nil, []any{}} {
		if got, err := parse(withAttachments(t, none)); err != nil || got.Attachments != nil {
			t.Errorf("%v: %v, %v", none, got.Attachments, err)
		}
	}
}

func TestFaultsOfAnAttachment_D21(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		changed object
		want    []string
	}{
		"JPEG":                     {object{"contentType": "image/jpeg"}, nil},
		"PNG":                      {object{"contentType": "image/png"}, nil},
		"DOC":                      {object{"contentType": "application/msword"}, nil},
		"DOCX":                     {object{"contentType": "application/vnd.openxmlformats-officedocument.wordprocessingml.document"}, nil},
		"another type":             {object{"contentType": "image/gif"}, []string{"unsupported-file-type"}},
		"a type in another case":   {object{"contentType": "image/JPEG"}, []string{"unsupported-file-type"}},
		"a type with a parameter":  {object{"contentType": "image/png; q=1"}, []string{"unsupported-file-type"}},
		"no type":                  {object{"contentType": nil}, []string{"unsupported-file-type"}},
		"a type that is no string": {object{"contentType": 1.0}, []string{"unsupported-file-type"}},
		"the largest":              {object{"data": content(10_485_760)}, nil},
		"one byte more":            {object{"data": content(10_485_761)}, []string{"attachment-too-large"}},
		"no base64":                {object{"data": request.Content{Size: 3}}, []string{"invalid-attachment-content"}},
		"empty":                    {object{"data": content(0)}, []string{"invalid-attachment-content"}},
		"missing":                  {object{"data": nil}, []string{"invalid-attachment-content"}},
		"data that is no string":   {object{"data": []any{}}, []string{"invalid-attachment-content"}},
		"the first fault only":     {object{"data": nil, "contentType": "x"}, []string{"invalid-attachment-content"}},
		"too large comes before the type": {
			object{"data": content(1 << 30), "contentType": "x"}, []string{"attachment-too-large"}},
		"no base64 comes before too large": {
			object{"data": request.Content{Size: 1 << 30}}, []string{"invalid-attachment-content"}},
		"no name":                  {object{"fileName": nil}, []string{"invalid-request-body"}},
		"a blank name":             {object{"fileName": " \t"}, []string{"invalid-request-body"}},
		"a name that is no string": {object{"fileName": 1.0}, []string{"invalid-request-body"}},
		"a name in another case":   {object{"Data": "x"}, []string{"invalid-request-body"}},
	} {
		_, err := parse(withAttachments(t, []any{sound(test.changed)}))
		if diff := cmp.Diff(test.want, codes(err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, shape := range []any{"x", object{}, false, []any{"x"}, []any{nil}, []any{[]any{}}} {
		if _, err := parse(withAttachments(t, shape)); !errors.Is(err, body.ErrInvalid) {
			t.Errorf("attachments are %v: %v", shape, err)
		}
	}
}

func TestFiveAttachmentsAreAllowed_8(t *testing.T) {
	t.Parallel()
	five := []any{sound(nil), sound(nil), sound(nil), sound(nil), sound(nil)}
	if _, err := parse(withAttachments(t, five)); err != nil {
		t.Errorf("five: %v", err)
	}
	_, err := parse(withAttachments(t, append(five, sound(nil))))
	if diff := cmp.Diff([]string{"too-many-attachments"}, codes(err)); diff != "" {
		t.Errorf("six (-want +got):\n%s", diff)
	}
}

func TestAttachmentFaultsAreInTableOrder_D2(t *testing.T) {
	t.Parallel()
	all := withAttachments(t, []any{
		sound(object{"contentType": "x"}),
		sound(object{"data": content(1 << 30)}),
		sound(object{"data": nil}),
		sound(nil),
		sound(object{"contentType": "y"}),
		sound(object{"data": request.Content{}}),
	})
	maps.Copy(all, object{"patientId": "x", "proxyDetails": "x", "response": nil})

	_, err := parse(all)
	list, _ := errors.AsType[fault.List](err)
	var got []string
	for _, f := range list {
		got = append(got, f.Code+" "+f.Detail[:min(14, len(f.Detail))])
	}
	want := []string{
		"invalid-patient-id patientId must",
		"invalid-proxy-details proxyDetails m",
		"too-many-attachments attachments mu",
		"invalid-attachment-content attachments[2]",
		"invalid-attachment-content attachments[5]",
		"attachment-too-large attachments[1]",
		"unsupported-file-type attachments[0]",
		"unsupported-file-type attachments[4]",
		"empty-response response must ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
