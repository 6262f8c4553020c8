package httpapi_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/consultation"
	"frontdesk/domain/event"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

func TestRestrictedRecordRefusesOtherUser_D17(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, endpoint, query, body string }{
		{"a note", "create-note", "", `{"patientId":"` + billID + `","note":"a"}`},
		{"an empty note: access comes first", "create-note", "", `{"patientId":"` + billID + `","note":""}`},
		{"an opening", "open-care-record", "", `{"patientId":"` + billID + `"}`},
		{"an odd opening: access comes first", "open-care-record", "", `{"patientId":"` + billID + `","PatientId":""}`},
		{"a reading", "retrieve-care-record", "patientId=" + billID, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := &desk{caller: asUser}
			status, answer := d.call(t, c.endpoint, c.query, c.body)
			want := map[string]any{"errors": []any{map[string]any{
				"code": "unauthorized", "description": "The specified user may not access this patient"}}}
			if diff := cmp.Diff(want, answer); status != http.StatusForbidden || diff != "" || d.asked() {
				t.Errorf("status %d, appended %v, answer (-want +got):\n%s", status, d.appended, diff)
			}
		})
	}
	status, _ := (&desk{caller: asApplication}).call(t, "retrieve-care-record", "patientId="+billID, "")
	if status != http.StatusOK {
		t.Errorf("an application-restricted call is answered %d", status)
	}
}

func TestACareRecordIsOpenedBeforeItIsRead_D37(t *testing.T) {
	t.Parallel()
	d := &desk{caller: asApplication, entries: []projections.RecordEntry{
		entry(consultationID, "Dr Lee", consultation.Started{Consultation: consultation.ID{UUID: uuid.MustParse(consultationID)}, Patient: ann}),
		entry(noteID, "", record.NoteCreated{Note: record.NoteID{UUID: uuid.MustParse(noteID)}, Patient: ann, Text: "a cough"}),
		entry(roomID, "", request.Submitted{
			Patient: ann, Type: request.Admin, Requester: request.ByPatient,
			Response:    []request.Answer{{Question: "requestDetails", Answer: "a letter"}},
			Attachments: []request.Attachment{{FileName: "letter.doc", ContentType: "application/msword", Size: 3}},
		}),
	}}
	status, answer := d.call(t, "retrieve-care-record", url.Values{"patientId": {annID}, "more": {"1", "2"}}.Encode(), "")
	const at = "2026-03-02T12:00:00.345678Z"
	want := map[string]any{
		"patient": map[string]any{"patientId": annID, "name": "Ann Archer", "birthDate": nil},
		"notes":   []any{map[string]any{"noteId": noteID, "note": "a cough", "userName": nil, "createdAt": at}},
		"patientRequests": []any{map[string]any{
			"patientRequestId": roomID, "requestType": "admin", "requester": "patient", "isHighPriority": false, "proxyDetails": nil,
			"response":    []any{map[string]any{"question": "requestDetails", "answer": "a letter"}},
			"attachments": []any{map[string]any{"fileName": "letter.doc", "contentType": "application/msword"}},
			"submittedAt": at,
		}},
		"consultations": []any{map[string]any{
			"consultationId": consultationID, "appointmentId": nil, "userName": "Dr Lee", "startedAt": at,
		}},
	}
	if diff := cmp.Diff(want, answer); status != http.StatusOK || diff != "" {
		t.Errorf("status %d, answer (-want +got):\n%s", status, diff)
	}
	if diff := cmp.Diff([]string{"elm-street after 1"}, d.read); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if len(d.appended) != 1 || d.appended[0].Event != record.Open(ann)[0] {
		t.Errorf("appended %v", d.appended)
	}
}

// An entry that was marked as entered in error stays as written, with the mark.
func TestAnEntryInErrorStaysInTheRecord_D73(t *testing.T) {
	t.Parallel()
	note := entry(noteID, "", record.NoteCreated{Note: record.NoteID{UUID: uuid.MustParse(noteID)}, Patient: ann, Text: "a cough"})
	asked := entry(roomID, "", request.Submitted{
		Patient: ann, Type: request.Admin, Requester: request.ByPatient, Response: []request.Answer{{Question: "requestDetails", Answer: "a letter"}},
	})
	note.InError = &projections.InError{Reason: "another patient's", At: written}
	asked.InError = &projections.InError{Reason: "sent twice", At: written}
	d := &desk{caller: asApplication, entries: []projections.RecordEntry{note, asked}}
	status, answer := d.call(t, "retrieve-care-record", "patientId="+annID, "")
	const at = "2026-03-02T12:00:00.345678Z"
	want := map[string]any{
		"notes": []any{map[string]any{
			"noteId": noteID, "note": "a cough", "userName": nil, "createdAt": at,
			"enteredInError": map[string]any{"reason": "another patient's", "markedAt": at},
		}},
		"patientRequests": []any{map[string]any{
			"patientRequestId": roomID, "requestType": "admin", "requester": "patient", "isHighPriority": false, "proxyDetails": nil,
			"response": []any{map[string]any{"question": "requestDetails", "answer": "a letter"}}, "attachments": []any{}, "submittedAt": at,
			"enteredInError": map[string]any{"reason": "sent twice", "markedAt": at},
		}},
	}
	delete(answer, "patient")
	delete(answer, "consultations")
	if diff := cmp.Diff(want, answer); status != http.StatusOK || diff != "" {
		t.Errorf("status %d, answer (-want +got):\n%s", status, diff)
	}
}

func entry(id, userName string, e event.Event) projections.RecordEntry {
	return projections.RecordEntry{Event: e, ID: uuid.MustParse(id), At: written, UserName: userName}
}

func TestACareRecordNamesItsPatientOnce_D17(t *testing.T) {
	t.Parallel()
	for query, code := range map[string]string{
		"":                   "missing-patient-id",
		"patientId=":         "missing-patient-id",
		"patientid=" + annID: "missing-patient-id",
		"patientId=x":        "invalid-patient-id",
		"patientId=" + annID + "&patientId=" + annID: "invalid-patient-id",
		"patientId=&patientId=" + annID:              "invalid-patient-id",
		"patientId=" + annID + ";x":                  "invalid-patient-id",
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			d := &desk{caller: asUser}
			status, answer := d.call(t, "retrieve-care-record", query, "")
			if codes := codesOf(answer); status != http.StatusBadRequest || codes != code || d.asked() {
				t.Errorf("status %d, codes %q, want %q, appended %v", status, codes, code, d.appended)
			}
		})
	}
}
