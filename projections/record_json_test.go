package projections_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain/event"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// The API and the subject pack promise these bytes.
func TestRecordJSON(t *testing.T) {
	t.Parallel()
	const id, at = `"0190c7a2-0000-7000-8000-000000000081"`, `"2026-03-02T12:00:00Z"`
	alone := started
	alone.Appointment.UUID = [16]byte{}
	byProxy := asked
	byProxy.Requester, byProxy.Proxy = request.ByProxy, &request.Proxy{FirstName: "Bo", LastName: "Archer", RelationshipToPatient: "son"}
	byProxy.Attachments = []request.Attachment{{ID: request.AttachmentID{UUID: askedAs}, FileName: "a.png", ContentType: "image/png", Size: 7}}
	for _, c := range []struct {
		event    event.Event
		by       string
		inError  bool
		api      string
		packed   string // by is By, and the file has more members
		describe string
	}{
		{note, "Dr Lee", false,
			`{"noteId":"0190c7a2-0000-7000-8000-000000000091","note":"a cough","userName":"Dr Lee","createdAt":` + at + `}`,
			`{"noteId":"0190c7a2-0000-7000-8000-000000000091","note":"a cough","by":"Dr Lee","createdAt":` + at + `}`, "a note"},
		{note, "", true,
			`{"noteId":"0190c7a2-0000-7000-8000-000000000091","note":"a cough","userName":null,"createdAt":` + at + `,"enteredInError":{"reason":"why","markedAt":` + at + `}}`,
			`{"noteId":"0190c7a2-0000-7000-8000-000000000091","note":"a cough","createdAt":` + at + `,"enteredInError":{"reason":"why","markedAt":` + at + `}}`, "a note in error"},
		{started, "Dr Lee", false,
			`{"consultationId":"0190c7a2-0000-7000-8000-0000000000f1","appointmentId":"` + subject.Appointment.String() + `","userName":"Dr Lee","startedAt":` + at + `}`,
			`{"consultationId":"0190c7a2-0000-7000-8000-0000000000f1","appointmentId":"` + subject.Appointment.String() + `","by":"Dr Lee","startedAt":` + at + `}`, "a consultation"},
		{alone, "Dr Lee", false,
			`{"consultationId":"0190c7a2-0000-7000-8000-0000000000f1","appointmentId":null,"userName":"Dr Lee","startedAt":` + at + `}`,
			`{"consultationId":"0190c7a2-0000-7000-8000-0000000000f1","by":"Dr Lee","startedAt":` + at + `}`, "a consultation without an appointment"},
		{asked, "", false,
			`{"patientRequestId":` + id + `,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"a cough"}],` +
				`"isHighPriority":false,"proxyDetails":null,"attachments":[],"submittedAt":` + at + `}`,
			`{"patientRequestId":` + id + `,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"a cough"}],` +
				`"isHighPriority":false,"submittedAt":` + at + `}`, "a request"},
		{byProxy, "", false,
			`{"patientRequestId":` + id + `,"requestType":"medical","requester":"proxy","response":[{"question":"healthConcern","answer":"a cough"}],` +
				`"isHighPriority":false,"proxyDetails":{"firstName":"Bo","lastName":"Archer","relationshipToPatient":"son"},` +
				`"attachments":[{"fileName":"a.png","contentType":"image/png"}],"submittedAt":` + at + `}`,
			`{"patientRequestId":` + id + `,"requestType":"medical","requester":"proxy","response":[{"question":"healthConcern","answer":"a cough"}],` +
				`"isHighPriority":false,"proxyDetails":{"firstName":"Bo","lastName":"Archer","relationshipToPatient":"son"},` +
				`"attachments":[{"attachmentId":` + id + `,"fileName":"a.png","contentType":"image/png","size":7,"path":"a.png","damaged":false}],"submittedAt":` + at + `}`, "a request by a proxy"},
	} {
		entry := projections.RecordEntry{Event: c.event, ID: askedAs, At: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), UserName: c.by}
		if c.inError {
			entry.InError = &projections.InError{Reason: "why", At: entry.At}
		}
		for nulls, want := range map[bool]string{true: c.api, false: c.packed} {
			if diff := cmp.Diff(want, written(t, projections.RecordJSON{Nulls: nulls}, entry)); diff != "" {
				t.Errorf("%s, nulls %t (-want +got):\n%s", c.describe, nulls, diff)
			}
		}
	}
}

// written returns an entry as one of the two formats.
func written(t *testing.T, write projections.RecordJSON, e projections.RecordEntry) string {
	t.Helper()
	var all []any
	if note, ok := write.Note(e); ok {
		if !write.Nulls {
			note.By = e.UserName
		}
		all = append(all, note)
	}
	if asked, ok := write.Request(e); ok {
		for i := range asked.Attachments {
			if f := &asked.Attachments[i]; !write.Nulls {
				f.ID, f.PackedFile = &f.Sent.ID, &projections.PackedFile{Size: f.Sent.Size, Path: f.FileName}
			}
		}
		all = append(all, asked)
	}
	if started, ok := write.Consultation(e); ok {
		if !write.Nulls {
			started.By = e.UserName
		}
		all = append(all, started)
	}
	if len(all) != 1 {
		t.Fatalf("the entry is written %d times", len(all))
	}
	text, err := json.Marshal(all[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
