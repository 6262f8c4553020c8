package projections_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/catalogue"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/projections"
	"frontdesk/projections/history"
)

func (d *inboxDay) requests() history.Requests {
	return history.Requests{DB: d.Pool, Opens: d.Keys}
}

// The whole request has all texts, and the actor and time of each change.
func TestARequestIsShownWithItsHistory_D83(t *testing.T) {
	t.Parallel()
	d := newInbox(t)
	id := d.of["a letter"]
	d.handled(t, elm, id, request.Taken{Patient: ann, By: lee}, request.Given{Patient: ann, From: lee, To: kim}, request.UrgencyChanged{Patient: ann, Urgent: true},
		request.Noted{Patient: ann, Text: "rang twice"}, request.Completed{Patient: ann, By: kim, Outcome: request.Replied, Text: "sent it"})
	got, err := d.requests().Find(t.Context(), elm, id)
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != id || got.Patient != ann || got.Type != request.Admin || !got.Urgent || got.Proxy == nil || got.Proxy.FirstName != "Bea" ||
		len(got.Attachments) != 1 || got.Attachments[0].FileName != "rash.png" || got.Answers[0].Answer != "a letter" ||
		got.Holder != kim || got.HolderName != "Kim Reed" || got.Done == nil || got.InError != nil || !got.Complete {
		t.Errorf("the request is %+v", got)
	}
	var history []string
	for _, h := range got.History {
		history = append(history, h.EventName()+" "+h.By+" "+h.To)
	}
	want := `patient-request.submitted.v1  
patient-request.taken.v1 Dr Lee 
patient-request.given.v1 Dr Lee Kim Reed
patient-request.urgency-changed.v1 Dr Lee 
patient-request.noted.v1 Dr Lee 
patient-request.completed.v1 Dr Lee `
	if strings.Join(history, "\n") != want {
		t.Errorf("history:\n%s", strings.Join(history, "\n"))
	}
	if note, ok := got.History[4].Event.(request.Noted); !ok || note.Text != "rang twice" || !got.History[4].At.Equal(d.At) {
		t.Errorf("noted: %+v", got.History[4])
	}
	d.handled(t, elm, id, request.Reopened{Patient: ann, By: lee, Reason: "lost"}, request.EnteredInError{Patient: ann, Reason: "twice"})
	if got, err = d.requests().Find(t.Context(), elm, id); err != nil || got.Done != nil || got.Holder != lee || got.InError == nil || got.InError.Reason != "twice" {
		t.Errorf("reopened: %+v, %v", got, err)
	}
	for what, c := range map[string]struct {
		tenant string
		id     request.ID
	}{
		"another practice's": {oak, id}, "an unknown one": {elm, request.ID{UUID: uuid.New()}}, "a patient's stream": {elm, request.ID{UUID: patient.StreamOf(elm, ann).ID}},
	} {
		if got, err := d.requests().Find(t.Context(), c.tenant, c.id); !errors.Is(err, request.ErrUnknown) || got.ID != (request.ID{}) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
}

// A request with a very long history lacks the middle of it, and the order and the
// version are right.
func TestALongHistoryIsCutInTheMiddle_D83(t *testing.T) {
	t.Parallel()
	d := newInbox(t)
	id := d.of["a form"]
	d.handled(t, elm, id, request.Taken{Patient: ann, By: kim})
	notes := make([]event.Event, 510)
	for n := range notes {
		notes[n] = request.Noted{Patient: ann, Text: "rang"}
	}
	d.handled(t, elm, id, notes...)
	got, err := d.requests().Find(t.Context(), elm, id)
	if err != nil || got.Complete || len(got.History) != 501 || got.Holder != kim || got.HolderName != "Kim Reed" || got.Answers[0].Answer != "a letter" {
		t.Fatalf("%d entries, complete %t, held by %s, %v", len(got.History), got.Complete, got.HolderName, err)
	}
	for _, h := range got.History[1:] {
		if note, ok := h.Event.(request.Noted); !ok || note.Text != "rang" {
			t.Fatalf("an entry is %+v", h)
		}
	}
}

// A re-linked request belongs only to its new patient, everywhere.
func TestReLinkedRequestHasOnePatient_D83(t *testing.T) {
	t.Parallel()
	d := newInbox(t)
	id := d.of["a letter"]
	d.happened(t.Context(), t, elm, uuid.New(), 0, request.Opened{Patient: ann, Request: id})
	d.handled(t, elm, id, request.ReLinked{Patient: bill, Former: ann, Reason: "about Bill"})
	d.follow(t, projections.Inbox{})
	d.follow(t, projections.Timeline{})

	got, err := d.requests().Find(t.Context(), elm, id)
	if err != nil || got.Patient != bill || got.Answers[0].Answer != "a letter" {
		t.Fatalf("the request is %+v, %v", got, err)
	}
	for who, want := range map[patient.ID]string{ann: "a rash, a form", bill: "a bill, a fall, a cough, a letter"} {
		if got := d.ofPatient(t, who); got != want {
			t.Errorf("requests of %s: %s, want %s", who, got, want)
		}
		record, err := projections.CareRecords{DB: d.Pool, Opens: d.Keys}.Find(t.Context(), elm, who, false)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range record.Entries {
			names = append(names, d.names[request.ID{UUID: e.ID}])
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("record of %s: %s, want %s", who, got, want)
		}
	}
	d.wantTimeline(t, ann, id, catalogue.KindRequestReLinked)
	d.wantTimeline(t, bill, id, catalogue.KindRequestReLinked, catalogue.KindRequestOpened, catalogue.KindRequest)
	if file, err := (projections.Attachments{DB: d.Pool, Opens: d.Keys}).Attachment(t.Context(), got.Attachments[0].ID); err != nil || file.Patient != bill {
		t.Errorf("the file is %+v, %v", file, err)
	}

	done := func(who patient.ID) patient.Erased {
		return patient.Erased{Patient: who, Done: erasure.Done{Erasure: erasure.ID{UUID: uuid.New()}, Basis: erasure.Restored, Keys: []erasure.Key{{Kind: event.OfPatient, Holder: who.UUID}}}}
	}
	d.happened(t.Context(), t, elm, patient.StreamOf(elm, ann).ID, 1, done(ann))
	d.refollow(t)
	if _, err := d.requests().Find(t.Context(), elm, id); err != nil || d.ofPatient(t, bill) != "a bill, a fall, a cough, a letter" || d.ofPatient(t, ann) != "" {
		t.Errorf("once Ann is erased, Bill has %s, %v", d.ofPatient(t, bill), err)
	}
	d.happened(t.Context(), t, elm, patient.StreamOf(elm, bill).ID, 1, done(bill))
	d.refollow(t)
	if _, err := d.requests().Find(t.Context(), elm, id); !errors.Is(err, request.ErrUnknown) || d.ofPatient(t, bill) != "" {
		t.Errorf("once Bill is erased, too: %v, %s", err, d.ofPatient(t, bill))
	}
}

func (d *inboxDay) ofPatient(t *testing.T, who patient.ID) string {
	t.Helper()
	var names []string
	for after := (projections.InboxPlace{}); ; {
		rows, next, err := projections.Inbox{DB: d.Pool}.OfPatient(t.Context(), elm, who, after, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) == 0 && after != (projections.InboxPlace{}) {
			t.Error("there is a place behind the last request")
		}
		for _, r := range rows {
			names = append(names, d.names[r.Request])
		}
		if after = next; next == (projections.InboxPlace{}) {
			return strings.Join(names, ", ")
		}
	}
}

func (d *inboxDay) wantTimeline(t *testing.T, who patient.ID, of request.ID, want ...catalogue.Kind) {
	t.Helper()
	all, err := projections.Timeline{DB: d.Pool}.OfPatient(t.Context(), elm, who, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []catalogue.Kind
	for _, h := range all {
		if h.Entry == of.UUID {
			got = append(got, h.Kind)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("timeline of %s: %v, want %v", who, got, want)
	}
}
