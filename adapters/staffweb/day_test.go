package staffweb_test

import (
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

func TestReceptionRunsTheDay_D86(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	b := c.browser(t)
	b.signIn(elm, "kim")
	day := dayAt + "?" + url.Values{"site": {c.main.String()}, "date": {"2026-07-01"}, "room": {c.room.String()}}.Encode()
	back := func(done string) string {
		return dayAt + "?date=2026-07-01&room=" + c.room.String() + "&site=" + c.main.String() + "&done=" + done + "&undo=" + c.visit.String() + "#a-" + c.visit.String()
	}

	page := b.get(day)
	page.wants(t, http.StatusOK, "", "<bdi>Ann &lt;Archer&gt;</bdi>")
	page.wants(t, http.StatusOK, "", `<span class="tag white">Booked</span>`)
	page.wants(t, http.StatusOK, "", `data-live="day:`+c.main.String()+`"`)
	c.sends(b, page, "arrived").wants(t, http.StatusSeeOther, back("arrived"), "")
	page = b.get(day + "&done=arrived")
	page.wants(t, http.StatusOK, "", "The patient is marked as arrived.")
	page.wants(t, http.StatusOK, "", `<span class="tag blue">Arrived</span> <span class="number">number `+c.visit.Number())
	c.sends(b, page, "call-in").wants(t, http.StatusSeeOther, back("call-in"), "")
	fragment := b.get(day + "&fragment")
	fragment.wants(t, http.StatusOK, "", `<span class="tag yellow">Called in</span> <bdi>Room 1</bdi>`)
	if strings.Contains(fragment.body, "<html") {
		t.Errorf("the list alone is a page:\n%s", fragment.body)
	}
	c.sends(b, fragment, "clear").wants(t, http.StatusSeeOther, strings.Replace(back("clear"), "&undo="+c.visit.String(), "", 1), "")
	page = b.get(c.at(c.visit))
	c.sends(b, page, "absent").wants(t, http.StatusSeeOther, c.at(c.visit)+"?done=absent", "")
	c.sends(b, b.get(c.at(c.visit)), "call-in", "room", c.room.String()).wants(t, http.StatusSeeOther, c.at(c.visit)+"?done=call-in&room="+c.room.String(), "")
	called := b.get(c.at(c.visit))
	called.wants(t, http.StatusOK, "", "<dt>Number</dt><dd>"+c.visit.Number()) // although they were not marked as arrived again
	c.sends(b, called, "start", "confirmed", "yes").wants(t, http.StatusSeeOther, c.at(c.visit)+"?done=start", "")
	page = b.get(c.at(c.visit))
	for _, what := range []string{"Somebody booked this for 1:00pm on Wednesday 1 July 2026 at Elm House", "You marked the patient as arrived",
		"You called the patient in to Room 1", "You cancelled the call-in", "You marked the patient as not attending", "You started the consultation",
		"You cannot change this appointment."} {
		page.wants(t, http.StatusOK, "", what)
	}
	topics := map[string]bool{}
	for _, look := range c.looks.all() {
		topics[string(look.Endpoint)] = true
		if look.Mode != access.ByPage || look.Tenant != elm || !slices.Equal(look.Patients, []patient.ID{c.ann}) {
			t.Errorf("the access record has %+v", look)
		}
	}
	if !topics["day"] || !topics["appointment"] {
		t.Errorf("the access record has %v alone", topics)
	}
	if log := c.watched.String(); strings.Contains(log, "Archer") {
		t.Errorf("the log names the patient: %s", log)
	}
}

// A press on the row of another day changes nothing.
func TestTomorrowCannotStartToday_D154(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.visit = c.expect(t, c.Now().Add(24*time.Hour))
	b := c.browser(t)
	b.signIn(elm, "kim")
	for _, do := range []string{"start", "absent"} {
		page := b.get(c.at(c.visit))
		if strings.Contains(page.body, `value="`+do+`"`) {
			t.Errorf("the page offers %s a day early", do)
		}
		c.sends(b, page, do).wants(t, http.StatusBadRequest, "", "The appointment is on a later day.")
	}
	if is := c.is(t); is.Status != projections.StatusBooked {
		t.Errorf("it is %+v", is)
	}
	c.Pass(24 * time.Hour)
	b = c.browser(t)
	b.signIn(elm, "kim")
	c.sends(b, b.get(c.at(c.visit)), "absent").wants(t, http.StatusSeeOther, c.at(c.visit)+"?done=absent", "")
}

func TestConcurrentArrivalNamesFirstActor_D86(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	kim, bob := c.browser(t), c.browser(t)
	kim.signIn(elm, "kim")
	bob.signIn(elm, "bob")
	page := kim.get(c.at(c.visit))

	first := c.sends(bob, bob.get(c.at(c.visit)), "arrived")
	first.wants(t, http.StatusSeeOther, c.at(c.visit)+"?done=arrived", "")
	c.sends(kim, page, "arrived").wants(t, http.StatusSeeOther, c.at(c.visit)+"?done=arrived-already", "")
	kim.get(c.at(c.visit)+"?done=arrived-already").wants(t, http.StatusOK, "", `<div class="notice" role="status"><p>A colleague has marked the patient as arrived already.`)
	late := c.sends(kim, page, "absent")
	late.wants(t, http.StatusConflict, "", "Bob Hill marked the patient as arrived at 1:00pm.")
	if c.is(t).ArrivedAt == nil {
		t.Error("the slower one has undone it")
	}
	// The typed values are kept, and work on the current page.
	page = kim.get(c.at(c.visit))
	c.sends(bob, bob.get(c.at(c.visit)), "call-in", "room", c.room.String())
	late = c.sends(kim, page, "move", "date", "2026-07-02", "time", "09:40", "site", c.branch.String())
	late.wants(t, http.StatusConflict, "", "Bob Hill called the patient in to Room 1 at 1:00pm.")
	late.wants(t, http.StatusConflict, "", `type="text" value="2026-07-02"`)
	late.wants(t, http.StatusConflict, "", `type="text" value="09:40"`)
	late.wants(t, http.StatusConflict, "", `<option value="`+c.branch.String()+`" selected>`)
	c.sends(kim, late, "move", "date", "2026-07-02", "time", "09:40", "site", c.branch.String()).
		wants(t, http.StatusSeeOther, c.at(c.visit)+"?done=move", "")
	if is := c.is(t); is.Site != c.branch || !is.StartsAt.Equal(time.Date(2026, 7, 2, 8, 40, 0, 0, time.UTC)) || is.CalledInAt != nil || is.ArrivedAt != nil {
		t.Errorf("it is moved to %+v", is)
	}

	// A double click counts as one.
	page = kim.get(c.at(c.visit))
	for range 2 {
		c.sends(kim, page, "cancel", "confirmed", "yes").wants(t, http.StatusSeeOther, c.at(c.visit)+"?done=cancel", "")
	}
	c.sends(bob, page, "start").wants(t, http.StatusForbidden, "", "A colleague opened the page") // it is Kim's page
	c.sends(bob, late, "start", "token", bob.get(c.at(c.expect(t, c.Now()))).form(t, "/elm-street/staff/sign-out").Get("token")).
		wants(t, http.StatusForbidden, "", "You signed in again")
	kim.get(c.at(c.visit)).wants(t, http.StatusOK, "", `/day/book?patient=`+c.ann.String())
}

func TestFormBooksAppointmentOnce_D86(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	b := c.browser(t)
	b.signIn(elm, "kim")
	book := dayAt + "/book"
	b.get(dayAt+"?patient="+c.ann.String()).wants(t, http.StatusSeeOther, book+"?patient="+c.ann.String(), "")
	page := b.get(book + "?patient=" + c.ann.String())
	page.wants(t, http.StatusOK, "", "For <strong><bdi>Ann &lt;Archer&gt;</bdi></strong>, born 29 February 1980.")
	good := page.form(t, book)
	edit := func(fields ...string) url.Values {
		form := maps.Clone(good)
		for n := 0; n < len(fields); n += 2 {
			form.Set(fields[n], fields[n+1])
		}
		return form
	}
	good = edit("site", c.branch.String(), "date", "2026-10-25", "time", "01:30")
	for _, wrong := range []struct {
		field, value, says string
		status             int
	}{
		{"date", "", "Enter a date with a day, month and year", http.StatusBadRequest},
		{"date", "tomorrow", "Enter a date with a day, month and year", http.StatusBadRequest},
		{"date", "31 6 2027", "31 June 2027 does not exist.", http.StatusBadRequest},
		{"date", "2026-06-30", "Choose today or a later day", http.StatusBadRequest},
		{"time", "", "Enter a time, for example 8:30am or 14:30", http.StatusBadRequest},
		{"time", "soon", "Enter a time, for example 8:30am or 14:30", http.StatusBadRequest},
		{"token", "x", "You signed in again", http.StatusForbidden},
		{"patient", "x", "We could not read", http.StatusBadRequest},
		{"once", " ", "We could not read", http.StatusBadRequest},
		{"patient", c.branch.String(), "We could not find that patient", http.StatusNotFound},
		{"site", c.ann.String(), "We could not find that site", http.StatusNotFound},
	} {
		b.post(book, edit(wrong.field, wrong.value)).wants(t, wrong.status, "", wrong.says)
	}
	b.post(book, edit("date", "2027-03-28", "time", "01:30")).
		wants(t, http.StatusBadRequest, "", "Choose another time: the clocks go forward on Sunday 28 March 2027, and skip this one")
	day := func() []projections.Appointment {
		found, err := projections.Appointments{DB: c.pool}.Between(t.Context(), elm, c.branch, staff.ID{}, c.Now(), c.Now().AddDate(2, 0, 0), 10)
		must(t, err)
		return found
	}
	if booked := day(); len(booked) != 0 {
		t.Fatalf("what was refused is booked: %v", booked)
	}
	for range 2 {
		answer := b.post(book, good)
		booked := day()
		if len(booked) != 1 || !booked[0].StartsAt.Equal(time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC)) {
			t.Fatalf("booked %v", booked)
		}
		answer.wants(t, http.StatusSeeOther, dayAt+"?date=2026-10-25&site="+c.branch.String()+"&done=book#a-"+booked[0].Appointment.String(), "")
	}
	b.post(book, edit("time", "09:00")).wants(t, http.StatusConflict, "", "This form has booked an appointment already.")
	if booked := day(); len(booked) != 1 {
		t.Errorf("booked %v", booked)
	}
}

func TestDayUsesPracticeTimeZone_D86(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	b := c.browser(t)
	b.signIn(elm, "kim")
	late := c.expect(t, time.Date(2026, 10, 25, 23, 30, 0, 0, time.UTC)) // 11:30pm of a day of 25 hours
	early := c.expect(t, time.Date(2026, 10, 24, 23, 0, 0, 0, time.UTC)) // its midnight
	for date, want := range map[string][2]bool{"2026-10-24": {}, "2026-10-25": {true, true}, "2026-10-26": {}} {
		page := b.get(dayAt + "?date=" + date)
		if got := [2]bool{strings.Contains(page.body, early.String()), strings.Contains(page.body, late.String())}; got != want {
			t.Errorf("%s shows the first and the last: %v, want %v", date, got, want)
		}
	}
	page := b.get(dayAt + "?date=2026-10-25")
	for _, leads := range []string{"date=2026-10-24", "date=2026-10-26", "date=2026-07-01"} {
		page.wants(t, http.StatusOK, "", leads)
	}
	page.wants(t, http.StatusOK, "", "Sunday 25 October 2026")
	page.wants(t, http.StatusOK, "", `<td class="short time">12:00am</td>`)
	never := b.get(dayAt + "?date=never")
	never.wants(t, http.StatusBadRequest, "", "Wednesday 1 July 2026")
	never.wants(t, http.StatusBadRequest, "", "Enter a date with a day, month and year")
	b.get(dayAt+"?date=25/10/2026").wants(t, http.StatusOK, "", "Sunday 25 October 2026")
	b.get(dayAt+"?site="+c.ann.String()).wants(t, http.StatusNotFound, "", "We could not find that site")
}

func TestDayOfOtherPracticeIsNotFound_D86(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	must(t, c.pages.Desk.SetStaffRoles(t.Context(), commands.SetStaffRoles{Tenant: oak, Username: "dr.lee", Roles: staff.Roles{staff.Clinician, staff.Manager}}))
	b, kim := c.browser(t), c.browser(t)
	b.signIn(oak, "dr.lee")
	kim.signIn(elm, "kim")
	stolen := kim.get(c.at(c.visit)).form(t, c.at(c.visit))
	stolen.Set("do", "cancel")
	stolen.Set("confirmed", "yes")
	const theirs = "/oak-lane/staff"
	for path, says := range map[string]string{
		"/day/" + c.visit.String(): "We could not find that appointment", "/day/x": "We could not find that appointment",
		"/day?site=" + c.main.String(): "no sites yet", "/day/book?patient=" + c.ann.String(): "We could not find that patient",
		"/sites/" + c.main.String(): "We could not find that site",
	} {
		page := b.get(theirs + path)
		if strings.Contains(page.body, "Archer") || !strings.Contains(page.body, says) {
			t.Errorf("%s is answered %s:\n%s", path, page.Status, page.body)
		}
	}
	b.post(theirs+"/day/"+c.visit.String(), stolen).wants(t, http.StatusNotFound, "", "We could not find that appointment")
	if is := c.is(t); is.Status != projections.StatusBooked {
		t.Errorf("it is %s", is.Status)
	}
	kim.header.Set("Sec-Fetch-Site", "cross-site")
	kim.post(c.at(c.visit), stolen).wants(t, http.StatusForbidden, "", "submitted from another website")
}

func TestManagerNamesSitesAndRooms_D86(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	b := c.browser(t)
	b.signIn(elm, "dr.may")
	const list = "/elm-street/staff/sites"
	at := list + "/" + c.main.String()
	b.get(list).wants(t, http.StatusOK, "", "<bdi>Elm House</bdi>")
	add := b.get(list).form(t, list)
	for name, says := range map[string]string{" ": "Enter a name for the site.", "Elm House": "There is a site of this name already.", strings.Repeat("n", 61): "at most 60 characters"} {
		add.Set("name", name)
		b.post(list, add).wants(t, http.StatusBadRequest, "", says)
	}
	add.Set("name", "<b>East")
	added := b.post(list, add)
	b.get(added.Header.Get("Location")).wants(t, http.StatusOK, "", "<h1><bdi>&lt;b&gt;East</bdi></h1>")

	form := b.get(at).form(t, at)
	other := maps.Clone(form)
	form.Set("name", "Elm Hall")
	form.Set("room1", "Nurse")
	form.Set("new", "Nurse")
	b.post(at, form).wants(t, http.StatusBadRequest, "", "There is a room of this name already.")
	form.Set("new", "Doctor")
	b.post(at, form).wants(t, http.StatusSeeOther, at+"?done=saved", "")
	b.post(at, form).wants(t, http.StatusBadRequest, "", "There is a room of this name already.") // sent twice
	// An older page changes only the room.
	other.Set("name", "Elm House")
	other.Set("room1", "Treatment")
	other.Set("new", "")
	b.post(at, other).wants(t, http.StatusSeeOther, at+"?done=saved", "")
	page := html.UnescapeString(b.get(list).body)
	for _, name := range []string{"Elm Hall", "Doctor", "Treatment", "The Annexe"} {
		if !strings.Contains(page, "<bdi>"+name+"</bdi>") {
			t.Errorf("there is no %s:\n%s", name, page)
		}
	}
	other.Set("room1", " ")
	b.post(at, other).wants(t, http.StatusBadRequest, "", `href="#room`)
	other.Set("token", "x")
	b.post(at, other).wants(t, http.StatusForbidden, "", "You signed in again")
}
