package staffweb_test

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"frontdesk/commands"
)

// closes restricts Ann's record to Dr Lee.
func (d *desks) closes(t *testing.T) {
	t.Helper()
	must(t, d.pages.Desk.RestrictPatientRecord(t.Context(), commands.RestrictPatientRecord{Tenant: elm, Patient: d.ann, Usernames: []string{"dr.lee"}}))
}

// breaks opens Ann's record to a member of staff, by a reason.
func (d *desks) breaks(b *browser) seen {
	b.t.Helper()
	at := patientsPage + "/" + d.ann.String()
	return b.post(at+"/glass", with(b.get(at).form(b.t, at+"/glass"), "reason", "She has collapsed"))
}

// A note on a record that was closed meanwhile stays on the page, and can be added once the
// record is open.
func TestNoteSurvivesClosedRecord_D85(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	path, form := d.notes(t)
	glass := strings.TrimSuffix(path, "/notes") + "/glass"
	before := d.count(t, "care-record.note-created.v1")
	d.closes(t)
	refused := d.reception.post(path, form)
	refused.wants(t, http.StatusForbidden, "", "Your note has not been added")
	wrong := d.reception.post(glass, with(refused.form(t, glass), "note", typedFor))
	for name, page := range map[string]seen{"after the note": refused, "without a reason": wrong} {
		if block, _ := page.formFor(t, glass, "note"); !strings.Contains(block, typedFor) {
			t.Errorf("%s: the note is not there:\n%s", name, page.body)
		}
	}
	d.reception.get(glass+"?note=made+up").lacks(t, "made up")
	opened := d.reception.post(glass, with(wrong.form(t, glass), "reason", "She has collapsed", "note", typedFor))
	opened.wants(t, http.StatusOK, "", "You have opened this record.")
	block, _ := opened.formFor(t, path, "note")
	if now := d.count(t, "care-record.note-created.v1"); !strings.Contains(block, typedFor) || now != before {
		t.Errorf("the note is not there, or was saved:\n%s", opened.body)
	}
	d.reception.post(path, with(hiddenIn(block), "note", typedFor)).wants(t, http.StatusSeeOther, strings.TrimSuffix(path, "/notes")+"?done=note", "")
}

// A text on a request whose patient's record was closed meanwhile stays on the page, whatever
// it was for, and can be saved once the record is open.
func TestTextSurvivesClosedRecord_D85(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	form := d.reception.get(d.page).form(t, d.page)
	move := d.reception.get(d.page+"/patient").form(t, d.page+"/patient")
	d.closes(t)
	d.reception.get(d.page).lacks(t, `name="text"`)
	const refusal = "This text was not saved."
	for _, c := range []struct{ path, do string }{
		{d.page, "complete"}, {d.page, "reopen"}, {d.page, "take"}, {d.page + "/patient", "move"}, {d.page, "note"},
	} {
		sent := form
		if c.do == "move" {
			sent = with(move, "to", d.closed.String(), "seen", form.Get("seen"))
		}
		refused := d.reception.post(c.path, with(sent, "do", c.do, "text", typedFor, "outcome", "replied"))
		if refused.wants(t, http.StatusForbidden, "", refusal); !strings.Contains(refused.body, typedFor) {
			t.Errorf("%s: the text is not there:\n%s", c.do, refused.body)
		}
		refused.lacks(t, html.EscapeString(annConcern))
	}
	d.reception.post(d.page, with(form, "do", "complete", "outcome", "replied")).wants(t, http.StatusForbidden, "", "Nothing was saved.")
	late := d.reception.post(d.page, with(form, "do", "note", "text", typedFor))
	d.breaks(d.reception).wants(t, http.StatusSeeOther, patientsPage+"/"+d.ann.String()+"?done=glass", "")
	block, _ := late.formFor(t, d.page, "text")
	d.reception.post(d.page, with(hiddenIn(block), "do", "note", "text", typedFor)).wants(t, http.StatusSeeOther, d.page+"?tab=new&done=note", "")
	if n := d.count(t, "patient-request.noted.v1"); n != 1 {
		t.Errorf("%d notes were saved, want 1", n)
	}
}
