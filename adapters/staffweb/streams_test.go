package staffweb_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/audit"
	"frontdesk/domain/display"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/domain/signingkey"
	"frontdesk/domain/staff"
)

// forms is a practice with a member who may use all pages, for filling in their forms.
type forms struct {
	*posed
	b     *browser
	pages []string
}

func newForms(t *testing.T) *forms {
	t.Helper()
	f := &forms{posed: newPosed(t)}
	desk := f.posed.pages.Desk
	main, err := desk.AddSite(t.Context(), commands.AddSite{Tenant: elm, Name: "Main"})
	must(t, err)
	_, err = desk.AddRoom(t.Context(), commands.AddRoom{Tenant: elm, Site: main, Name: "Room 1"})
	must(t, err)
	_, err = desk.AddDisplay(t.Context(), commands.AddDisplay{Tenant: elm, Name: "Hall", Site: main, Naming: display.Number})
	must(t, err)
	booked, err := desk.BookAppointment(t.Context(), commands.BookAppointment{Tenant: elm, Patient: f.ann, Site: main, At: f.Now()})
	must(t, err)
	_, err = desk.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: oak, Name: "Olive Oak"})
	must(t, err)
	_, err = desk.AddSite(t.Context(), commands.AddSite{Tenant: oak, Name: "Oak"})
	must(t, err)
	f.has(t, elm, "dr.may", staff.AllRoles()...)
	f.b = f.signedIn(t, elm, "dr.may")
	ann, visit := f.ann.String(), booked.String()
	for _, page := range []string{
		"displays?add", "displays", "sites", "sites/" + main.String(), "patients/register", "patients/" + ann, "patients/" + ann + "/details",
		"day/book?patient=" + ann, "day/" + visit, "requests/" + f.id.String(), "requests/" + f.id.String() + "/patient?to=" + ann,
		"opening/type/medical", "opening/close", "applications/" + f.app.String(), "privacy/patients/" + ann, "privacy-texts", "authorisations", "people?invite", "people",
	} {
		f.pages = append(f.pages, atElm+page)
	}
	f.pages = append(f.pages, f.about(t, elm, "dr.lee"))
	return f
}

// filled is a form as it is sent.
type filled struct {
	page, action string
	n            int // its number on the page
	fields       url.Values
}

// words are the values typed into empty fields.
var words = map[string]string{
	"date": "2026-07-02", "time": "10:00", "born": "1980-02-29", "email": "new@practice.example", "username": "new.member", "reason": "asked by the patient",
}

// on returns the forms of a page, once for each button.
func (f *forms) on(t *testing.T, page string) (all []filled) {
	t.Helper()
	shown := f.b.get(page)
	if shown.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", page, shown.Status)
	}
	root, err := html.Parse(strings.NewReader(shown.body))
	must(t, err)
	for n := range root.Descendants() {
		if n.DataAtom != atom.Form || attribute(n, "method") != "post" || strings.HasSuffix(attribute(n, "action"), "/sign-out") {
			continue
		}
		fields, buttons := url.Values{}, []url.Values{}
		for in := range n.Descendants() {
			fill(fields, &buttons, in)
		}
		if len(buttons) == 0 {
			buttons = append(buttons, url.Values{})
		}
		for _, button := range buttons {
			whole := maps.Clone(fields)
			maps.Copy(whole, button)
			all = append(all, filled{page, attribute(n, "action"), len(all), whole})
		}
	}
	return all
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// fill adds the values of a control. It chooses the first radio button, and ticks
// boxes.
func fill(fields url.Values, buttons *[]url.Values, n *html.Node) {
	name, value := attribute(n, "name"), attribute(n, "value")
	switch {
	case name == "":
	case n.DataAtom == atom.Button:
		*buttons = append(*buttons, url.Values{name: {value}})
	case n.DataAtom == atom.Select:
		for option := range n.Descendants() {
			if option.DataAtom == atom.Option && fields.Get(name) == "" {
				fields.Set(name, attribute(option, "value"))
			}
		}
	case fields.Get(name) == "" && (n.DataAtom == atom.Input || n.DataAtom == atom.Textarea):
		if value == "" {
			value = "Hall"
			if word, ok := words[name]; ok {
				value = word
			}
		}
		fields.Set(name, value)
	}
}

// targets are streams of another practice, of an unregistered one, of the service, and
// of other kinds of this practice. Some have begun.
func (f *forms) targets(t *testing.T) (all []event.Stream) {
	t.Helper()
	other := application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000d1")}
	lee, err := f.posed.pages.Desk.Staff.StaffByUsername(t.Context(), oak, "dr.lee")
	must(t, err)
	for _, tenant := range []string{oak, "pine-close", elm} {
		all = append(all, practice.StreamOf(tenant), practice.ClosuresStream(tenant), practice.IntakeStream(tenant, request.Medical), practice.EnablementStream(tenant, other))
	}
	rows, err := f.pool.Query(t.Context(), `SELECT DISTINCT tenant, stream FROM events WHERE tenant = $1`, oak)
	must(t, err)
	for rows.Next() {
		var s event.Stream
		must(t, rows.Scan(&s.Tenant, &s.ID))
		all = append(all, s)
	}
	return append(all, staff.TriesStream(oak, lee, f.Now()), signingkey.StreamOf(), epoch.StreamOf(),
		audit.StreamOfArchive("access_record_2026_06"), application.StreamOf(f.app), application.RereadStream(f.app, f.Now()))
}

// held counts the events of streams with the identifiers of the targets, in any
// practice.
func (f *forms) held(t *testing.T, targets []event.Stream) map[event.Stream]int {
	t.Helper()
	var ids []uuid.UUID
	for _, s := range targets {
		ids = append(ids, s.ID)
	}
	rows, err := f.pool.Query(t.Context(), `SELECT tenant, stream, count(*) FROM events WHERE stream = ANY ($1) GROUP BY 1, 2`, ids)
	must(t, err)
	found := map[event.Stream]int{}
	for rows.Next() {
		var s event.Stream
		var n int
		must(t, rows.Scan(&s.Tenant, &s.ID, &n))
		found[s] = n
	}
	must(t, rows.Err())
	return found
}

var (
	anyID = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	named = regexp.MustCompile(`^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}.*|[A-Z2-7]{26})$`) // a value that names something: an identifier, or one creation
)

// No form of the staff pages changes a stream of another practice, of the service or of
// another kind, whichever field has the identifier, including the form's address.
func TestFormsChangeNoForeignStream(t *testing.T) {
	t.Parallel()
	f := newForms(t)
	targets := f.targets(t)
	before, sent := f.held(t, targets), map[string]bool{}
	for _, page := range f.pages {
		for _, form := range f.on(t, page) {
			form.fields.Set("display", form.fields.Get("display")) // the display form once had such a field
			for name := range form.fields {
				if name == "token" || name == "do" || name == "seen" {
					continue
				}
				tried := targets
				if !named.MatchString(form.fields.Get(name)) && name != "display" {
					tried = targets[:1] // it is a text
				}
				for _, target := range tried {
					wrong := maps.Clone(form.fields)
					wrong.Set(name, target.ID.String())
					f.attack(t, form.action, wrong)
				}
			}
			if anyID.MatchString(form.action) {
				for _, target := range targets {
					f.attack(t, anyID.ReplaceAllString(form.action, target.ID.String()), form.fields)
				}
			}
			if after := f.held(t, targets); !maps.Equal(before, after) {
				t.Fatalf("the form %d of %s has taken a stream: %v, before: %v", form.n, page, after, before)
			}
			fresh := f.on(t, page)
			if form.n < len(fresh) {
				answer := f.b.post(fresh[form.n].action, fresh[form.n].fields)
				sent[page] = sent[page] || answer.StatusCode < http.StatusBadRequest
				before = f.held(t, targets) // such as of the practice's own closures
			}
		}
	}
	if done := len(slices.DeleteFunc(slices.Collect(maps.Keys(sent)), func(page string) bool { return !sent[page] })); done < 13 {
		t.Errorf("only the forms of %d pages can be sent as they are: %v", done, sent)
	}
	f.wantContinues(t)
}

// attack sends a form, which must be answered.
func (f *forms) attack(t *testing.T, action string, fields url.Values) {
	t.Helper()
	if answer := f.b.post(action, fields); answer.StatusCode >= http.StatusInternalServerError {
		t.Errorf("%s with %v: %s", action, fields, answer.Status)
	}
}

// wantContinues has all that the streams are for done: the other practice opens and
// closes, the next one is registered, and the application has its keys read again.
func (f *forms) wantContinues(t *testing.T) {
	t.Helper()
	ctx, desk := t.Context(), f.posed.pages.Desk
	desk.CheckURL = func(string) error { return nil }
	other := f.registerApplication(t, "Other")
	must(t, desk.EnableApplication(ctx, commands.EnableApplication{Tenant: oak, Application: other}))
	must(t, desk.DisableApplication(ctx, commands.DisableApplication{Tenant: oak, Application: f.app}))
	must(t, desk.ClosePractice(ctx, commands.ClosePractice{Tenant: oak}))
	must(t, desk.SetOpeningHours(ctx, commands.SetOpeningHours{Tenant: oak, RequestType: request.Medical, Hours: []string{"mon 08:00-12:00"}}))
	must(t, desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "pine-close", Name: "Pine Close"}))
	must(t, desk.ClosePractice(ctx, commands.ClosePractice{Tenant: "pine-close"}))
	_, err := desk.RereadKeySet(ctx, commands.RereadKeySet{Application: f.app})
	must(t, err)
}

// A form with an identifier of another practice gets the same answer whether that
// practice exists or not.
func TestFormsRevealNoPractice(t *testing.T) {
	t.Parallel()
	there, none := newForms(t), newForms(t)
	for n, page := range there.pages {
		if diff := cmp.Diff(there.answers(t, page, oak), none.answers(t, none.pages[n], "no-such-practice")); diff != "" {
			t.Errorf("%s (-practice +none):\n%s", anyID.ReplaceAllString(page, "…"), diff)
		}
	}
}

// answers sends the forms of a page with the identifiers of a practice, and returns the
// answers.
func (f *forms) answers(t *testing.T, page, tenant string) (all []string) {
	t.Helper()
	streams := []event.Stream{
		practice.StreamOf(tenant), practice.ClosuresStream(tenant), practice.IntakeStream(tenant, request.Medical),
		practice.EnablementStream(tenant, f.app), patient.StreamOf(tenant, f.ann),
	}
	for _, form := range f.on(t, page) {
		for _, name := range slices.Sorted(maps.Keys(form.fields)) {
			if name == "token" || !named.MatchString(form.fields.Get(name)) {
				continue
			}
			for n, stream := range streams {
				wrong := maps.Clone(form.fields)
				wrong.Set(name, stream.ID.String())
				answer := f.b.post(form.action, wrong)
				title, _, _ := strings.Cut(answer.body, "</title>")
				_, title, _ = strings.Cut(title, "<title>")
				all = append(all, fmt.Sprintf("form %d, field %s, stream %d: %s %s", form.n, name, n, answer.Status, title))
			}
		}
	}
	return all
}
