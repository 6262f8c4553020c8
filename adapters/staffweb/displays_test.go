package staffweb_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/appointment"
	"frontdesk/domain/display"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

const displays = "/elm-street/staff/displays"

// waitingRoom is a service with two sites, at one of which Ann Archer is called in.
type waitingRoom struct {
	*service
	main, branch site.ID
	ann          patient.ID
	appointment  appointment.ID
	manager      *browser
}

func newWaitingRoom(t *testing.T) *waitingRoom {
	t.Helper()
	w := &waitingRoom{service: newService(t)}
	desk := commands.Desk{Store: w.store, Patients: projections.Patients{DB: w.pool}, Now: w.Now}
	main, err := desk.AddSite(t.Context(), commands.AddSite{Tenant: elm, Name: "Main <b>"})
	must(t, err)
	w.main = main
	w.branch, err = desk.AddSite(t.Context(), commands.AddSite{Tenant: elm, Name: "Branch"})
	must(t, err)
	room, err := desk.AddRoom(t.Context(), commands.AddRoom{Tenant: elm, Site: w.main, Name: "Room 2"})
	must(t, err)
	w.ann, err = desk.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: elm, Name: "Ann Archer"})
	must(t, err)
	w.appointment, err = desk.BookAppointment(t.Context(), commands.BookAppointment{Tenant: elm, Patient: w.ann, Site: w.main, At: w.Now()})
	must(t, err)
	_, err = w.pool.Exec(t.Context(), `UPDATE appointments SET room = $3, called_in_at = $4 WHERE tenant = $1 AND appointment = $2`,
		elm, w.appointment, room, w.Now())
	must(t, err)
	w.manager = w.browser(t)
	w.manager.signIn(elm, "dr.may")
	return w
}

// display is the form by which a display is added.
func (w *waitingRoom) display(naming display.Naming) url.Values {
	form := w.manager.get(displays+"?add").form(w.manager.t, displays)
	form.Set("do", "add")
	form.Set("name", `Waiting "room" <b>`)
	form.Set("site", w.main.String())
	form.Set("naming", string(naming))
	return form
}

// add adds a display, and returns the path of its link.
func (w *waitingRoom) add(naming display.Naming) (link string) {
	w.manager.t.Helper()
	return w.linkOn(w.manager.post(displays, w.display(naming)))
}

func (w *waitingRoom) linkOn(page seen) string {
	t := w.manager.t
	t.Helper()
	found := shownLink.FindStringSubmatch(page.body)
	if page.StatusCode != http.StatusOK || found == nil {
		t.Fatalf("%s: no link is shown:\n%s", page.Status, page.body)
	}
	address, err := url.Parse(html.UnescapeString(found[1]))
	must(t, err)
	if address.Host != page.Request.URL.Host {
		t.Errorf("the link is %s", address)
	}
	return address.Path
}

// connect makes a browser the screen of a display.
func (w *waitingRoom) connect(t *testing.T, link string) (screen *browser, answer seen) {
	t.Helper()
	screen = w.browser(t)
	screen.get(link).wants(t, http.StatusSeeOther, displays+"/link", "")
	answer = screen.post(displays+"/link", screen.get(displays+"/link").form(t, displays+"/link"))
	return screen, answer
}

func (w *waitingRoom) board() string { return "/elm-street/staff/board/" + w.main.String() }

// A manager adds a display. Its screen opens the link once, and shows call-ins as the
// display allows, until it is removed.
func TestScreenShowsBoardUntilRemoval_D88(t *testing.T) {
	t.Parallel()
	w := newWaitingRoom(t)
	b := w.manager
	b.get(displays).wants(t, http.StatusOK, "", "No screens yet.")
	form := w.display(display.Initials)
	for field, fault := range map[string]string{"name": "Give the screen a name", "site": "Choose a site", "naming": "Choose how people are called"} {
		wrong := w.display(display.Initials)
		wrong.Set(field, " ")
		b.post(displays, wrong).wants(t, http.StatusBadRequest, "", `href="#`+field+`">`+fault)
	}
	given := b.post(displays, form)
	link := w.linkOn(given)
	b.post(displays, form).wants(t, http.StatusConflict, "", "This screen has been added")
	b.get(displays).wants(t, http.StatusOK, "", "No screen has opened its link, which can be used until 1:00pm on Saturday 4 July")

	screen, connected := w.connect(t, link)
	connected.wants(t, http.StatusSeeOther, w.board(), "")
	kept := cookie(t, connected, "frontdesk.screen-elm-street")
	if !kept.HttpOnly || kept.SameSite != http.SameSiteLaxMode || kept.MaxAge != int(signin.ScreenIdle.Seconds()) {
		t.Errorf("the cookie is %+v", kept)
	}
	again := w.browser(t)
	again.get(link)
	again.get(displays+"/link").wants(t, http.StatusNotFound, "", "This link cannot be used")

	shown := screen.get(w.board())
	shown.wants(t, http.StatusOK, "", `<bdi>A A</bdi>`)
	for _, text := range []string{"Room 2", "Main &lt;b&gt;", `http-equiv="refresh"`, `data-live="board:` + w.main.String() + `"`} {
		shown.wants(t, http.StatusOK, "", text)
	}
	cookie(t, shown, "frontdesk.screen-elm-street") // for as long again
	part := screen.get(w.board() + "?fragment")
	part.wants(t, http.StatusOK, "", `<bdi>A A</bdi>`)
	if strings.Contains(shown.body+part.body, "Archer") || strings.Contains(part.body, "<html") {
		t.Errorf("the board says too much:\n%s\n%s", shown.body, part.body)
	}
	id := strings.Split(link, "/")[5]
	lines := w.looks.all()
	if len(lines) != 1 {
		t.Fatalf("recorded %+v", lines)
	}
	if last := lines[0]; string(last.Endpoint) != "display:"+id || last.Mode != access.ByPage || last.Patients[0] != w.ann || last.Staff != (staff.ID{}) {
		t.Errorf("recorded %+v", lines)
	}

	site, pages := *w.pages.Site, *w.pages // another process, as after a restart
	pages.Site = &site
	restarted := httptest.NewServer(pages.Handler())
	defer restarted.Close()
	elsewhere := w.browser(t)
	elsewhere.service = &service{Server: restarted}
	elsewhere.header.Set("Cookie", kept.Name+"="+kept.Value)
	elsewhere.get(w.board()).wants(t, http.StatusOK, "", `<bdi>A A</bdi>`)

	w.Pass(12 * time.Hour) // the practice's midnight is over
	screen.get(w.board()).wants(t, http.StatusOK, "", "Your initials will be shown here when you are called.")
	b.signIn(elm, "dr.may")
	list := b.get(displays)
	list.wants(t, http.StatusOK, "", "Last shown at 1:00am on Thursday 2 July")
	list.wants(t, http.StatusOK, "", "Waiting &#34;room&#34; &lt;b&gt;")
	remove := list.form(t, displays)
	remove.Set("do", "remove")
	b.post(displays, remove).wants(t, http.StatusSeeOther, displays+"?done=remove", "")
	for _, path := range []string{w.board(), w.board() + "?fragment"} {
		gone := screen.get(path)
		gone.wants(t, http.StatusForbidden, "", "This screen is not connected")
		gone.wants(t, http.StatusForbidden, "", `<body class="board gone">`)
		gone.wants(t, http.StatusForbidden, "", "please ask at reception")
		if gone.Header.Get("Refresh") != "30" || strings.Contains(gone.body, "Elm Street") || strings.Contains(gone.body, "Staff") || strings.Contains(gone.body, "<a ") {
			t.Errorf("%v\n%s", gone.Header, gone.body)
		}
	}
	if text := w.watched.String(); strings.Contains(text, strings.Split(link, "/")[6]) || strings.Contains(text, kept.Value) || strings.Contains(text, "Archer") {
		t.Errorf("the log holds what nobody should read:\n%s", text)
	}
}

// A screen is a stranger on every page except its board, and only it can see its board.
func TestScreenAccessesOnlyItsBoard_D88(t *testing.T) {
	t.Parallel()
	w := newWaitingRoom(t)
	screen, answer := w.connect(t, w.add(display.FullName))
	screen.get(w.board()).wants(t, http.StatusOK, "", "Ann Archer")
	for route, want := range verdicts {
		if got := verdict(screen, route); got != want[0] {
			t.Errorf("%s: %s, want %s", route, got, want[0])
		}
	}
	kept := cookie(t, answer, "frontdesk.screen-")
	session := sessionCookie(t, w.browser(t).signIn(elm, "dr.may"))
	id, _, _ := strings.Cut(kept.Value, ".")
	branch := "/elm-street/staff/board/" + w.branch.String()
	oaks := strings.Replace(w.board(), elm, oak, 1)
	for name, c := range map[string]struct{ path, cookie string }{
		"another site":               {branch, kept.Name + "=" + kept.Value},
		"no site":                    {"/elm-street/staff/board/main", kept.Name + "=" + kept.Value},
		"another practice":           {oaks, kept.Name + "=" + kept.Value},
		"as another practice's":      {oaks, "frontdesk.screen-oak-lane=" + kept.Value},
		"no practice":                {"/nowhere/staff/board/" + w.main.String(), "frontdesk.screen-nowhere=" + kept.Value},
		"nothing":                    {w.board(), "x=y"},
		"a guess":                    {w.board(), kept.Name + "=" + id + ".AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
		"half of it":                 {w.board(), kept.Name + "=" + kept.Value[:len(kept.Value)-1]},
		"a member of staff":          {w.board(), session.Name + "=" + session.Value},
		"a session in its place":     {w.board(), kept.Name + "=" + session.Value},
		"a session as its token":     {w.board(), kept.Name + "=" + id + "." + session.Value},
		"what is not text":           {w.board(), kept.Name + "=%00." + kept.Value},
		"a long one, for good":       {w.board(), kept.Name + "=" + kept.Value + strings.Repeat("A", 2000)},
		"the stream of another site": {branch + "/events?topics=board:" + w.main.String(), kept.Name + "=" + kept.Value},
		"another practice's stream":  {oaks + "/events", kept.Name + "=" + kept.Value},
		"a part of another site's":   {branch + "?fragment", kept.Name + "=" + kept.Value},
	} {
		stranger := w.browser(t)
		stranger.header.Set("Cookie", c.cookie)
		refused := stranger.get(c.path)
		refused.wants(t, http.StatusForbidden, "", "This screen is not connected")
		if strings.Contains(refused.body, "Archer") {
			t.Errorf("%s: the page names patients", name)
		}
	}
	stranger := w.browser(t)
	stranger.header.Set("Cookie", session.Name+"="+kept.Value)
	stranger.get(displays).wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=displays", "")
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
		screen.do(method, w.board(), url.Values{}).wants(t, http.StatusMethodNotAllowed, "", "could not process your request")
	}
	screen.do(http.MethodHead, w.board(), nil).wants(t, http.StatusOK, "", "")
}

// Links and forms of displays are valid for their purpose and practice.
func TestDisplaysCannotBeForged_D88(t *testing.T) {
	t.Parallel()
	w := newWaitingRoom(t)
	link := w.add(display.Number)
	must(t, w.pages.Desk.SetStaffRoles(t.Context(), commands.SetStaffRoles{Tenant: oak, Username: "dr.lee", Roles: staff.Roles{staff.Manager}}))
	oaks := w.browser(t)
	oaks.signIn(oak, "dr.lee")
	elsewhere := "/oak-lane/staff/displays"
	oaks.get(elsewhere+"?add").wants(t, http.StatusOK, "", "Add a site first")
	_, err := w.pages.Desk.AddSite(t.Context(), commands.AddSite{Tenant: oak, Name: "Oak"})
	must(t, err)
	theirs := oaks.get(elsewhere+"?add").form(t, elsewhere)
	theirs.Set("display", strings.Split(link, "/")[5])
	theirs.Set("do", "remove")
	oaks.post(elsewhere, theirs).wants(t, http.StatusNotFound, "", "no such screen")
	for field, value := range map[string]string{"do": "add", "name": "x", "naming": "number", "site": w.main.String()} {
		theirs.Set(field, value)
	}
	oaks.post(elsewhere, theirs).wants(t, http.StatusBadRequest, "", "Choose a site")
	foreign := w.display(display.Number)
	foreign.Set("token", "x")
	w.manager.post(displays, foreign).wants(t, http.StatusForbidden, "", "You signed in again")
	w.manager.header.Set("Sec-Fetch-Site", "cross-site")
	w.manager.post(displays, w.display(display.Number)).wants(t, http.StatusForbidden, "", "submitted from another website")
	w.manager.header.Del("Sec-Fetch-Site")
	unknown := w.manager.get(displays).form(t, displays)
	unknown.Set("do", "remove")
	unknown.Set("display", w.main.String())
	w.manager.post(displays, unknown).wants(t, http.StatusNotFound, "", "no such screen")
	unknown.Set("do", "paint")
	w.manager.post(displays, unknown).wants(t, http.StatusBadRequest, "", "could not read")

	for _, path := range []string{
		strings.Replace(link, elm, oak, 1), strings.Replace(link, elm, "nowhere", 1), link[:len(link)-1], displays + "/link/" + w.main.String() + "/AAAA", displays + "/link/x/y",
	} {
		b := w.browser(t)
		opened := b.get(path)
		if opened.StatusCode != http.StatusSeeOther || opened.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %s, %v", path, opened.Status, opened.Header)
		}
		b.get(opened.Header.Get("Location")).wants(t, http.StatusNotFound, "", "This link cannot be used")
	}
	other := w.add(display.FullName)
	b := w.browser(t)
	b.signIn(elm, "dr.lee")
	b.get(link)
	first := b.get(displays + "/link")
	first.wants(t, http.StatusOK, "", "Showing the board signs you out of this browser.")
	b.get(other)
	b.post(displays+"/link", first.form(t, displays+"/link")).wants(t, http.StatusForbidden, "", "Another link has been opened")
	b.get(link)
	b.post(displays+"/link", first.form(t, displays+"/link")).wants(t, http.StatusSeeOther, w.board(), "")
	b.get("/elm-street/staff/account").wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=account", "")
	b.get(w.board()).wants(t, http.StatusOK, "", w.appointment.Number())

	w.Pass(20 * time.Minute)
	again := "/elm-street/staff/confirm?then=displays%3Fadd"
	w.manager.get(displays+"?add").wants(t, http.StatusSeeOther, again, "")
	w.Pass(72 * time.Hour)
	late := w.browser(t)
	late.get(other)
	late.get(displays+"/link").wants(t, http.StatusNotFound, "", "This link cannot be used")
}
