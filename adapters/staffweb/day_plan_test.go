package staffweb_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/staff"
)

// clinician registers a clinician of Elm Street.
func (c *clinic) clinician(t *testing.T, username, name string) staff.ID {
	t.Helper()
	c.register(t, elm, username, name, false)
	must(t, c.pages.Desk.SetStaffRoles(t.Context(), commands.SetStaffRoles{Tenant: elm, Username: username, Roles: staff.Roles{staff.Clinician}}))
	id, err := c.pages.Desk.Staff.StaffByUsername(t.Context(), elm, username)
	must(t, err)
	return id
}

// planned books Ann with a clinician, at the branch.
func (c *clinic) planned(t *testing.T, at time.Time, plan appointment.Plan) {
	t.Helper()
	_, err := c.pages.Desk.BookAppointment(t.Context(), commands.BookAppointment{Tenant: elm, Patient: c.ann, Site: c.branch, At: at, Plan: plan})
	must(t, err)
}

func TestBusyClinicianIsNamedBeforeBooking_D163(t *testing.T) {
	t.Parallel()
	c := newClinic(t) // at 1pm in summer, on 1 July
	hughes, aziz := c.clinician(t, "hughes", "Dr Hughes"), c.clinician(t, "aziz", "Dr Aziz")
	at := func(clock string) time.Time {
		of, err := time.Parse(time.RFC3339, "2026-07-02T"+clock+":00+01:00")
		must(t, err)
		return of
	}
	c.planned(t, at("10:00"), appointment.Plan{Clinician: hughes, Minutes: 10, Kind: appointment.Telephone})
	c.planned(t, at("11:00"), appointment.Plan{Clinician: hughes})
	b := c.browser(t)
	b.signIn(elm, "kim")
	const book = dayAt + "/book"
	answer := func(time, minutes string, with staff.ID) (url.Values, seen) {
		form := b.get(book+"?patient="+c.ann.String()).form(t, book)
		for name, value := range map[string]string{"site": c.main.String(), "date": "2026-07-02", "time": time, "minutes": minutes, "clinician": with.String(), "kind": "video"} {
			form.Set(name, value)
		}
		return form, b.post(book, form)
	}
	for _, clash := range []struct{ time, minutes, says string }{
		{"10:05", "", "Dr Hughes has another appointment from 10:00am to 10:10am."},
		{"9:55", "10", "Dr Hughes has another appointment from 10:00am to 10:10am."},
		{"10:50", "15", "Dr Hughes has another appointment at 11:00am."},
	} {
		form, asked := answer(clash.time, clash.minutes, hughes)
		asked.wants(t, http.StatusConflict, "", clash.says)
		form.Set("anyway", asked.form(t, book).Get("anyway"))
		form.Set("minutes", "120") // only what was shown is confirmed
		b.post(book, form).wants(t, http.StatusConflict, "", "Dr Hughes has another appointment at 11:00am.")
	}
	n := c.booked(t)
	for _, free := range []struct {
		time, minutes string
		with          staff.ID
	}{{"9:50", "10", hughes}, {"10:10", "50", hughes}, {"10:02", "10", aziz}, {"10:03", "10", staff.ID{}}} {
		if _, booked := answer(free.time, free.minutes, free.with); booked.StatusCode != http.StatusSeeOther {
			t.Errorf("%+v is answered %s\n%s", free, booked.Status, booked.body)
		}
	}
	if got := c.booked(t); got != n+4 {
		t.Errorf("%d appointments, want %d", got, n+4)
	}
	for minutes, with := range map[string]staff.ID{"4": hughes, "121": hughes, "x": hughes, "0": hughes} {
		_, refused := answer("15:00", minutes, with)
		refused.wants(t, http.StatusBadRequest, "", "Enter a length of 5 to 120 minutes")
	}
	_, refused := answer("15:00", "", c.member(t, "kim"))
	refused.wants(t, http.StatusBadRequest, "", "Choose a clinician of the practice")
}

func (c *clinic) member(t *testing.T, username string) staff.ID {
	t.Helper()
	id, err := c.pages.Desk.Staff.StaffByUsername(t.Context(), elm, username)
	must(t, err)
	return id
}

func TestFormShowsTakenTimes_D163(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	hughes := c.clinician(t, "hughes", "Dr Hughes")
	for _, hour := range []int{9, 10} {
		c.planned(t, time.Date(2026, 7, 2, hour, 0, 0, 0, time.UTC), appointment.Plan{Clinician: hughes, Minutes: 15, Kind: appointment.Telephone})
	}
	b := c.browser(t)
	b.signIn(elm, "kim")
	const book = dayAt + "/book"
	form := b.get(book+"?patient="+c.ann.String()).form(t, book)
	form.Set("date", "2 7 2026")
	form.Set("site", c.branch.String())
	form.Set("do", "look")
	look := b.post(book, form)
	at := look.Header.Get("Location")
	shown := b.get(at)
	for _, text := range []string{"<h2>Thursday 2 July 2026</h2>", "10:00am to 10:15am", "Dr Hughes, telephone", "11:00am to 11:15am"} {
		shown.wants(t, http.StatusOK, "", text)
	}
	if text := strings.SplitN(shown.body, `<h2>Thursday 2 July 2026</h2>`, 2)[1]; strings.Contains(text, "Archer") || strings.Contains(text, "free") {
		t.Errorf("a site's list names patients, or free times:\n%s", text)
	}
	of, err := url.Parse(at)
	must(t, err)
	query := of.Query()
	query.Set("clinician", hughes.String())
	query.Set("site", c.main.String())
	shown = b.get(book + "?" + query.Encode())
	for _, text := range []string{"Until 10:00am", "telephone, The Annexe", "10:15am to 11:00am", "From 11:15am", "time=10%3A15am"} {
		shown.wants(t, http.StatusOK, "", text)
	}
	query.Set("date", "3 7 2026")
	b.get(book+"?"+query.Encode()).wants(t, http.StatusOK, "", "nothing is booked")
}

func TestPlanMovesWithAppointment_D163(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	hughes := c.clinician(t, "hughes", "Dr Hughes")
	b := c.browser(t)
	b.signIn(elm, "kim")
	page := b.get(c.at(c.visit))
	c.sends(b, page, "move", "date", "1 7 2026", "time", "1pm", "clinician", hughes.String(), "minutes", "10", "kind", "telephone").wants(t, http.StatusSeeOther, c.at(c.visit)+"?done=move", "")
	want := appointment.Plan{Clinician: hughes, Minutes: 10, Kind: appointment.Telephone}
	if is := c.is(t); is.Plan != want || !is.StartsAt.Equal(c.Now()) {
		t.Errorf("it is %+v", is)
	}
	c.sends(b, page, "move", "date", "1 7 2026", "time", "1pm", "clinician", "", "minutes", "").wants(t, http.StatusConflict, "", "planned this with Dr Hughes, 10 minutes, telephone")
	page = b.get(c.at(c.visit) + "?ask=move")
	page.wants(t, http.StatusOK, "", "this appointment, telephone")
	look := c.sends(b, page, "look", "date", "2026-07-03", "time", "9:00", "minutes", "20")
	again := b.get(look.Header.Get("Location"))
	again.wants(t, http.StatusOK, "", `value="20"`)
	again.wants(t, http.StatusOK, "", "<h2>Friday 3 July 2026</h2>")
	c.sends(b, page, "move", "date", "2026-07-03", "time", "9:00", "clinician", hughes.String(), "minutes", "20", "kind", "telephone")
	want.Minutes = 20
	if is := c.is(t); is.Plan != want || is.StartsAt.Equal(c.Now()) {
		t.Errorf("moved, it is %+v", is)
	}
	must(t, c.pages.Desk.DeactivateStaff(t.Context(), commands.DeactivateStaff{Tenant: elm, Username: "hughes"}))
	page = b.get(c.at(c.visit) + "?ask=move")
	page.wants(t, http.StatusOK, "", "Dr Hughes (no longer a clinician)")
	c.sends(b, page, "move", "date", "2026-07-03", "time", "9:30", "clinician", hughes.String(), "minutes", "20", "kind", "telephone")
	if is := c.is(t); is.Plan != want {
		t.Errorf("after they have left, it is %+v", is)
	}
	b.get("/elm-street/staff/patients/"+c.ann.String()).wants(t, http.StatusOK, "", "with Dr Hughes, 20 minutes, telephone")
}

func TestDayIsShownByClinician_D163(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	hughes, aziz := c.clinician(t, "hughes", "Dr Hughes"), c.clinician(t, "aziz", "Dr Aziz")
	c.planned(t, c.Now(), appointment.Plan{Clinician: hughes, Minutes: 10})
	b := c.browser(t)
	b.signIn(elm, "kim")
	at := dayAt + "?site=" + c.branch.String()
	b.get(at).wants(t, http.StatusOK, "", "10 minutes")
	b.get(at+"&with="+aziz.String()).wants(t, http.StatusOK, "", "No appointments with <bdi>Dr Aziz</bdi> on this day.")
	b.get(at+"&chosen=yes&with="+hughes.String()).wants(t, http.StatusOK, "", "Ann")
	b.get(dayAt).wants(t, http.StatusOK, "", `<option value="`+hughes.String()+`" selected>Dr Hughes</option>`) // it is remembered
	everyone := b.get(dayAt + "?with=")
	everyone.lacks(t, `" selected>Dr Hughes`)
	everyone.wants(t, http.StatusOK, "", "with=&amp;fragment") // and its own refresh stays
}
