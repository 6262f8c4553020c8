package staffweb_test

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

const reply = "Take it twice a day."

// fetches is what the application does that sent the request.
func (p *posed) fetches(t *testing.T) {
	t.Helper()
	var answer uuid.UUID
	must(t, p.pool.QueryRow(t.Context(), `SELECT id FROM events WHERE name = $1 ORDER BY position DESC LIMIT 1`, request.Answered{}.EventName()).Scan(&answer))
	line := access.Look(event.NewID(), p.Now(), elm, access.Caller{}.Staff, access.AnswerTopic(p.app, p.id.UUID, answer), []patient.ID{p.ann})
	p.looks.record(line)
}

// A reply is sent with its outcome. The page says whether the application has fetched it, for
// the last reply alone.
func TestReplyIsSentAndFetched_D162(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	b := a.signedIn(t, elm, "bob")
	send := func(status int, want string, values ...string) seen {
		t.Helper()
		page := b.post(a.page, with(with(b.get(a.page).form(t, a.page), "do", "complete"), values...))
		location := ""
		if status == http.StatusSeeOther {
			location = page.Header.Get("Location")
		}
		page.wants(t, status, location, want)
		return page
	}
	b.get(a.page).wants(t, http.StatusOK, "", "The patient can read this in ")
	send(http.StatusBadRequest, "To send this reply, choose", "outcome", "signposted", "answer", reply).wants(t, http.StatusBadRequest, "", reply+"</textarea>")
	send(http.StatusBadRequest, "Choose an outcome.", "answer", reply).wants(t, http.StatusBadRequest, "", reply+"</textarea>")
	send(http.StatusBadRequest, "Shorten this to at most 10,000 characters.", "outcome", "replied", "answer", strings.Repeat("x", request.MaxText+1))
	send(http.StatusBadRequest, "Send this reply with the outcome, or remove it, before you book.", "do", "book", "answer", reply)
	send(http.StatusOK, "What you typed is still here, and not saved yet.", "do", "note", "text", "Called twice.", "answer", reply).wants(t, http.StatusOK, "", reply+"</textarea>")
	send(http.StatusOK, "What you typed is still here, and not saved yet.", "do", "take", "answer", reply)
	if n := a.count(t, "patient-request.answered.v1"); n != 0 {
		t.Fatalf("%d replies are sent", n)
	}
	send(http.StatusSeeOther, "", "outcome", "replied", "answer", "  \r\n"+reply, "text", "By the app.")
	page := b.get(a.page)
	for _, want := range []string{"<h2>Reply to the patient</h2>", reply, "Not fetched yet by ", "By the app."} {
		page.wants(t, http.StatusOK, "", want)
	}
	a.fetches(t)
	b.get(a.page).wants(t, http.StatusOK, "", "Fetched by ")
	b.post(a.page, with(page.form(t, a.page), "do", "reopen", "text", "The dose is wrong."))
	if page := b.get(a.page); strings.Contains(page.body, "<h2>Reply to the patient</h2>") {
		t.Errorf("a withdrawn reply has a state:\n%s", page.body)
	}
	send(http.StatusSeeOther, "", "outcome", "replied", "answer", "Take it once a day.")
	b.get(a.page).wants(t, http.StatusOK, "", "Not fetched yet by ")
	must(t, a.pages.Desk.RestrictPatientRecord(t.Context(), commands.RestrictPatientRecord{Tenant: elm, Patient: a.ann, Usernames: []string{"dr.lee"}}))
	if page := b.get(a.page); strings.Contains(page.body, "once a day") || !strings.Contains(page.body, "Not fetched yet by ") {
		t.Errorf("a closed record shows the reply, or not its state:\n%s", page.body)
	}
}

// Without an application that can fetch it, there is no field for a reply, and a typed one is
// refused and kept.
func TestReplyNeedsItsRecipient_D162(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	b := a.signedIn(t, elm, "bob")
	form := with(b.get(a.page).form(t, a.page), "do", "complete", "outcome", "replied", "answer", reply)
	must(t, a.pages.Desk.MarkPatientRequestEnteredInError(t.Context(), commands.MarkPatientRequestEnteredInError{Tenant: elm, Patient: a.ann, Request: a.id, Reason: "sent twice"}))
	if page := b.get(a.page); strings.Contains(page.body, "Reply to the patient") {
		t.Errorf("there is a field for a reply that no one can fetch:\n%s", page.body)
	}
	b.post(a.page, form).wants(t, http.StatusConflict, "", reply+"</textarea>")
	form.Set("seen", "2")
	b.post(a.page, form).wants(t, http.StatusBadRequest, "", html.EscapeString("No application can fetch this reply for the patient. Remove it."))
}
