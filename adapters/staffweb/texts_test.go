package staffweb_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"frontdesk/commands"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// scripts are ten characters each, which repeat in a text. A Bengali letter takes 3
// bytes, and 9 in a form; an emoji takes 4, and 12 in a form.
var scripts = map[string]string{"Latin": "abcdefghij", "Bengali": "কখগঘঙচছজঝঞ", "emoji": "😀😁😂😃😄😅😆😇😈😉"}

// textOf is a text of a number of characters.
func textOf(script string, characters int) string {
	letters := []rune(strings.Repeat(scripts[script], characters/10+1))
	return string(letters[:characters])
}

// desks are members of staff for all forms with text, and the data that the forms are
// about.
type desks struct {
	*posed
	reception, manager, officer *browser
	closed                      patient.ID // whose record is restricted to others
	site                        site.ID
}

func newDesks(t *testing.T) *desks {
	t.Helper()
	d := &desks{posed: newPosed(t)}
	d.member(t, "po.ann", staff.PrivacyOfficer)
	d.reception, d.manager, d.officer = d.signedIn(t, elm, "bob"), d.signedIn(t, elm, "dr.may"), d.signedIn(t, elm, "po.ann")
	d.closed = d.patient(t, elm, "Cy Clay", "")
	must(t, d.pages.Desk.RestrictPatientRecord(t.Context(), commands.RestrictPatientRecord{Tenant: elm, Patient: d.closed, Usernames: []string{"dr.lee"}}))
	d.site = idOf(t)(d.pages.Desk.AddSite(t.Context(), commands.AddSite{Tenant: elm, Name: "Elm House"}))
	roomOf(t)(d.pages.Desk.AddRoom(t.Context(), commands.AddRoom{Tenant: elm, Site: d.site, Name: "Room 1"}))
	return d
}

// textForm is a form with a field whose text has a limit.
type textForm struct {
	name   string
	by     *browser
	page   string // on which the form is
	action string
	field  string // a regular expression
	most   int
	others []string // further fields, and their values
}

// forms are all such forms, in an order in which each can be sent. No page shows a
// password again, and passkeys need signatures: both have tests of their own.
func (d *desks) forms() []textForm {
	note, glass := patientsPage+"/"+d.ann.String(), patientsPage+"/"+d.closed.String()
	move, asked := d.page+"/patient", about(d.ann)
	rooms := atElm + "sites/" + d.site.String()
	var information []string
	for _, topic := range practice.Topics() {
		information = append(information, string(topic), "A text")
	}
	return []textForm{
		{"a note on a record", d.reception, note, note + "/notes", "note", request.MaxText, nil},
		{"why the glass is broken", d.reception, glass, glass + "/glass", "reason", record.MaxGlassReason, nil},
		{"a note on a request", d.reception, d.page, d.page, "text", request.MaxText, []string{"do", "note"}},
		{"how a request ended", d.reception, d.page, d.page, "text", request.MaxText, []string{"do", "complete", "outcome", "replied"}},
		{"why a request is reopened, to reply", d.reception, d.page, d.page, "text", request.MaxText, []string{"do", "reopen"}},
		{"a reply to a patient", d.reception, d.page, d.page, "answer", request.MaxText, []string{"do", "complete", "outcome", "replied"}},
		{"why a request is reopened", d.reception, d.page, d.page, "text", request.MaxText, []string{"do", "reopen"}},
		{"why a request is moved", d.reception, move, move, "text", request.MaxText, []string{"do", "move", "find", "Cy", "to", d.closed.String()}},
		{"a search of a request's patient", d.reception, move, move, "find", 200, []string{"do", "find"}},
		{"why data are kept", d.officer, asked, asked, "hold", parse.MaxReason, []string{"do", "hold"}},
		{"why a hold ends", d.officer, asked, asked, `release-[0-9a-f-]+`, parse.MaxReason, []string{"do", "release"}},
		{"why data are erased", d.officer, asked, asked, "reason", parse.MaxReason, []string{"do", "ask", "basis", "court-order"}},
		{"why an erasure is withdrawn", d.officer, asked, asked, "withdrawal", parse.MaxReason, []string{"do", "withdraw"}},
		{"a text for patients", d.manager, atElm + "privacy-texts", atElm + "privacy-texts", "transfers", practice.MaxInformation, information},
		{"a note template", d.manager, atElm + "note-templates", atElm + "note-templates", "text-new", practice.MaxNoteTemplateText, []string{"name", "A template"}},
		{"a team", d.manager, atElm + "teams?add", atElm + "teams", "name", staff.MaxTeamName, nil},
		{"a site", d.manager, atElm + "sites", atElm + "sites", "name", 60, nil},
		{"another name of a site", d.manager, rooms, rooms, "name", 60, []string{"room1", "Room 1"}},
		{"another name of a room", d.manager, rooms, rooms, "room1", 60, []string{"name", "Elm House"}},
		{"another room", d.manager, rooms, rooms, "new", 60, []string{"name", "Elm House", "room1", "Room 1"}},
		{"a name of a member of staff", d.manager, people + "?invite", people, "name", parse.MaxName, []string{"do", "invite", "username", "kay.long", "email", "kay@elm.example"}},
		{"a name of a patient", d.reception, patientsPage + "/register", patientsPage + "/register", "name", parse.MaxName, nil},
		{"another name of a patient", d.reception, note + "/details", note + "/details", "name", parse.MaxName, nil},
		{"a search of patients", d.reception, patientsPage, patientsPage, "name", parse.MaxName, nil},
		{"a search of a privacy officer", d.officer, privacyPage, privacyPage, "name", parse.MaxName, nil},
		{"a username", d.manager, people + "?invite", people, "username", 128, []string{"do", "invite", "name", "Kit", "email", "kit@elm.example"}},
	}
}

var formBlock = regexp.MustCompile(`(?s)<form [^>]*action="([^"]*)".*?</form>`)

// formFor returns the form of a page that has a field, and the field's name.
func (s seen) formFor(t *testing.T, action, field string) (block, name string) {
	t.Helper()
	named := regexp.MustCompile(`<(?:input|textarea) id="(` + field + `)"`)
	for _, found := range formBlock.FindAllStringSubmatch(s.body, -1) {
		if in := named.FindStringSubmatch(found[0]); found[1] == action && in != nil {
			return found[0], in[1]
		}
	}
	t.Fatalf("%s: no form for %s with a field %s:\n%s", s.Request.URL, action, field, s.body)
	return "", ""
}

// send fills in the form and sends it.
func (f textForm) send(t *testing.T, text string) seen {
	t.Helper()
	page := f.by.get(f.page)
	if f.field == "text" && strings.HasSuffix(f.page, "/patient") { // the form comes with the results of the search
		page = f.by.post(f.action, with(page.form(t, f.action), "do", "find", "find", "Cy"))
	}
	block, name := page.formFor(t, f.action, f.field)
	return f.by.post(f.action, with(with(hiddenIn(block), f.others...), name, text))
}

// commas writes a limit as pages do.
var commas = map[int]string{2000: "2,000", 60: "60", 128: "128", 200: "200", 500: "500", 10_000: "10,000"}

// The longest text is accepted in any script. A longer one is refused, with the limit,
// and stays in the form, even if it is half as long again.
func TestLongestTextOfEachForm(t *testing.T) {
	t.Parallel()
	for script := range scripts {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			for _, f := range newDesks(t).forms() {
				for _, characters := range []int{f.most * 3 / 2, f.most + 1} {
					long := textOf(script, characters)
					answer := f.send(t, long)
					if answer.StatusCode != http.StatusBadRequest || !strings.Contains(answer.body, commas[f.most]+" ") {
						t.Errorf("%s: %d characters are answered %s, without %s:\n%.2000s", f.name, characters, answer.Status, commas[f.most], answer.body)
					}
					if block, _ := answer.formFor(t, f.action, f.field); !strings.Contains(block, long) {
						t.Errorf("%s: what was typed is not in the form any more:\n%.2000s", f.name, answer.body)
					}
				}
				answer := f.send(t, textOf(script, f.most))
				if answer.StatusCode >= http.StatusBadRequest || strings.Contains(answer.body, "There is a problem") {
					t.Fatalf("%s: %d characters are refused: %s\n%.2000s", f.name, f.most, answer.Status, answer.body)
				}
			}
		})
	}
}
