package staffweb_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/commands"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

const openingAt = "/elm-street/staff/opening"

// status returns the API's availability of medical requests at Elm Street.
func (s *service) status(t *testing.T) (status practice.Status, next time.Time) {
	t.Helper()
	all, err := projections.Availability{DB: s.pool}.RequestTypes(t.Context(), elm, s.Now())
	must(t, err)
	return all[0].Status, all[0].NextOpening
}

// wants sends a form of the section, and returns the page that asks for confirmation.
func (b *browser) wants(form url.Values) seen {
	b.t.Helper()
	form.Set("token", b.get(openingAt+"/close").form(b.t, openingAt).Get("token"))
	return b.post(openingAt, form)
}

// means sends it with the confirmation.
func (b *browser) means(form url.Values) seen {
	b.t.Helper()
	page := b.wants(form)
	page.wants(b.t, http.StatusOK, "", "Nothing has been changed yet.")
	return b.post(openingAt, page.form(b.t, openingAt))
}

func ofMedical(do string, more ...string) url.Values {
	form := url.Values{"do": {do}, "type": {"medical"}}
	for n := 0; n < len(more); n += 2 {
		form.Set(more[n], more[n+1])
	}
	return form
}

// It is noon of Wednesday, 1 July, in UTC, and 1pm at the practice.
func TestManagersDecideWhenRequestsAreTaken_D89(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.may")
	hours := ofMedical("hours", "when", "hours", "wed-from-0", "08:00", "wed-until-0", "18:30", "thu-from-0", "22:00", "thu-until-0", "00:00")
	never := time.Time{}
	at := func(text string) time.Time {
		instant, err := time.Parse(time.RFC3339, text)
		must(t, err)
		return instant
	}
	for _, c := range []struct {
		form   url.Values
		after  string // the page's text about availability to patients
		status practice.Status
		next   time.Time
	}{
		{ofMedical("off"), "Patients cannot send them: they are switched off.", practice.TypeDisabled, never},
		{ofMedical("on"), "Patients can send them.", practice.TypeOpen, never},
		{ofMedical("pause", "end", "never"), "No reopening time set.", practice.TypePaused, never},
		{ofMedical("pause", "end", "at", "until-date", "2027-01-04", "until-time", "08:00"), "They can again from 8:00am on Monday 4 January 2027.", practice.TypePaused, at("2027-01-04T08:00:00Z")},
		{ofMedical("resume"), "No closing time set.", practice.TypeOpen, never},
		{hours, "From 6:30pm on Wednesday 1 July they cannot, until 10:00pm on Thursday 2 July.", practice.TypeOpen, never},
		{ofMedical("hours", "when", "always"), "No closing time set.", practice.TypeOpen, never},
		{url.Values{"do": {"close"}, "begin": {"at"}, "from-date": {"2026-07-03"}, "from-time": {"12:30"}, "end": {"at"}, "until-date": {"2026-07-06"}, "until-time": {"08:00"}},
			"From 12:30pm on Friday 3 July they cannot, until 8:00am on Monday 6 July.", practice.TypeOpen, never},
		{url.Values{"do": {"reopen"}, "begin": {"at"}, "from-date": {"2026-07-05"}, "from-time": {"00:00"}}, "until midnight on Sunday 5 July.", practice.TypeOpen, never},
		{url.Values{"do": {"close"}, "begin": {"now"}, "end": {"never"}}, "No reopening time set.", practice.TypeClosed, never},
	} {
		before, _ := s.status(t)
		page := b.wants(c.form)
		page.wants(t, http.StatusOK, "", c.after)
		if now, _ := s.status(t); now != before {
			t.Errorf("%v: it was changed before anybody said so", c.form)
		}
		b.post(openingAt, page.form(t, openingAt)).wants(t, http.StatusSeeOther, openingAt+"?done="+c.form.Get("do"), "")
		if status, next := s.status(t); status != c.status || !next.Equal(c.next) {
			t.Errorf("%v: patients see %s until %s, want %s until %s", c.form, status, next, c.status, c.next)
		}
	}
	b.get(openingAt).wants(t, http.StatusOK, "", "Closed now")
	b.means(url.Values{"do": {"reopen"}, "begin": {"now"}}).wants(t, http.StatusSeeOther, openingAt+"?done=reopen", "")
	b.means(url.Values{"do": {"close"}, "begin": {"at"}, "from-date": {"2026-12-24"}, "from-time": {"12:30"}, "end": {"never"}})
	planned := b.get(openingAt)
	planned.wants(t, http.StatusOK, "", "From 12:30pm on Thursday 24 December")
	b.means(planned.form(t, openingAt)).wants(t, http.StatusSeeOther, openingAt+"?done=reopen", "")
	b.get(openingAt+"?done=reopen").wants(t, http.StatusOK, "", "No closures planned.")
	b.means(ofMedical("pause", "end", "at", "until-date", "2026-10-25", "until-time", "01:30")) // comes twice: the first is meant
	if _, next := s.status(t); !next.Equal(at("2026-10-25T00:30:00Z")) {
		t.Errorf("the pause ends at %s", next)
	}
	must(t, s.pages.Desk.SetOpeningHours(t.Context(), commands.SetOpeningHours{
		Tenant: elm, RequestType: request.Medical, Hours: []string{"mon 08:00-09:00", "mon 10:00-11:00", "mon 12:00-13:00", "sun 22:00-24:00"}}))
	page := b.get(openingAt + "/type/medical")
	for _, want := range []string{`name="mon-from-2" type="text" value="12:00"`, `name="sun-until-0" type="text" value="24:00"`} {
		page.wants(t, http.StatusOK, "", want)
	}
	b.get(openingAt).wants(t, http.StatusOK, "", "Monday 8:00am to 9:00am and 10:00am to 11:00am and midday to 1:00pm")
	var actors int
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(DISTINCT metadata::json #>> '{actor,id}') FROM events
		WHERE name IN ('practice.closed.v1', 'practice.opening-hours-set.v1') AND metadata::json #>> '{actor,kind}' = 'staff'`).Scan(&actors))
	if actors != 1 {
		t.Errorf("%d members of staff are named by the events", actors)
	}
}

func TestOpeningFormKeepsInvalidInput_D89(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.may")
	in := b.get(openingAt + "/type/medical")
	in.wants(t, http.StatusOK, "", `<h1>Medical requests</h1>`)
	for _, c := range []struct {
		form url.Values
		says string
	}{
		{ofMedical("pause"), "Choose until when"},
		{ofMedical("pause", "end", "at", "until-time", "08:00"), "Enter a date"},
		{ofMedical("pause", "end", "at", "until-date", "2026-07-04"), "Enter a time"},
		{ofMedical("pause", "end", "at", "until-date", "soon", "until-time", "08:00"), "Enter a date with a day"},
		{ofMedical("pause", "end", "at", "until-date", "2026-06-30", "until-time", "08:00"), practice.ErrInvalidPause.Detail},
		{ofMedical("pause", "end", "at", "until-date", "2027-03-28", "until-time", "01:30"), "the clocks go forward then"},
		{ofMedical("resume"), "You have not changed anything"},
		{ofMedical("hours"), "Choose when these requests are taken"},
		{ofMedical("hours", "when", "hours"), "Enter the hours of at least one day"},
		{ofMedical("hours", "when", "hours", "mon-from-0", "08:00"), "Monday: enter when the practice closes"},
		{ofMedical("hours", "when", "hours", "mon-from-0", "8 oclock", "mon-until-0", "18:30", "tue-same", "yes", "tue-from-1", "9"), "Monday: enter two different times"},
		{ofMedical("hours", "when", "hours", "tue-same", "yes"), "Enter the hours of at least one day"},
		{ofMedical("hours", "when", "hours", "mon-from-1", "08:00", "mon-until-1", "08:00"), "Monday: enter two different times"},
		{ofMedical("hours", "when", "hours", "mon-from-0", "08:00", "mon-until-0", "12:00", "mon-from-1", "11:00", "mon-until-1", "13:00"), "must not overlap"},
		{url.Values{"do": {"close"}, "begin": {"at"}, "end": {"never"}}, "Enter a date"},
		{url.Values{"do": {"close"}, "begin": {"now"}, "end": {"at"}, "until-date": {"2026-06-30"}, "until-time": {"08:00"}}, practice.ErrInvalidClosure.Detail},
		{url.Values{"do": {"reopen"}, "begin": {"now"}}, "You have not changed anything"},
	} {
		page := b.wants(c.form)
		page.wants(t, http.StatusBadRequest, "", c.says)
		for field := range c.form {
			if value := c.form.Get(field); strings.Contains(field, "-") && !strings.Contains(page.body, `name="`+field+`" type="`+kindOf(field)+`" value="`+value+`"`) {
				t.Errorf("%v: %s is not kept:\n%s", c.form, field, page.body)
			}
		}
	}
	for _, form := range []url.Values{{"do": {"off"}, "type": {"dental"}}, ofMedical("burn"), {}} {
		b.wants(form).wants(t, http.StatusBadRequest, "", "could not read")
	}
	b.get(openingAt+"/type/dental").wants(t, http.StatusNotFound, "", "Page not found")
	var changed int
	must(t, s.pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM intakes) + (SELECT count(*) FROM closures)`).Scan(&changed))
	if changed > 0 {
		t.Error("something was changed")
	}
}

func kindOf(field string) string {
	if strings.HasSuffix(field, "-same") {
		return "checkbox"
	}
	return "text"
}

// A day that is the same as Monday needs no times of its own, and a time is read as people type it.
func TestHoursRepeatMonday_D156(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.may")
	form := ofMedical("hours", "when", "hours", "mon-from-0", " 8.00", "mon-until-0", "0830", "mon-from-1", "2pm", "mon-until-1", "6:30 PM",
		"tue-same", "yes", "tue-from-0", "9 o'clock", "sun-same", "yes", "wed-from-0", "9", "wed-until-0", "00:00")
	b.means(form).wants(t, http.StatusSeeOther, openingAt+"?done=hours", "")
	found, err := projections.Availability{DB: s.pool}.Receptions(t.Context(), elm)
	must(t, err)
	want := []string{"mon 08:00-08:30", "mon 14:00-18:30", "tue 08:00-08:30", "tue 14:00-18:30", "wed 09:00-24:00", "sun 08:00-08:30", "sun 14:00-18:30"}
	if diff := cmp.Diff(want, found.Reception(request.Medical).Intake.Hours.Texts()); diff != "" {
		t.Errorf("hours (-want +got):\n%s", diff)
	}
	page := b.get(openingAt + "/type/medical")
	for _, kept := range []string{`name="tue-from-0" type="text" value="08:00"`, `name="sun-until-1" type="text" value="18:30"`, `name="wed-until-0" type="text" value="24:00"`, `name="thu-from-0" type="text" value=""`} {
		page.wants(t, http.StatusOK, "", kept)
	}
}

func TestOpeningConflictAsksAgain_D89(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, other := s.browser(t), s.browser(t)
	b.signIn(elm, "dr.may")
	other.signIn(elm, "dr.may")
	sure := b.wants(ofMedical("pause", "end", "never")).form(t, openingAt)
	forged := maps.Clone(sure)
	forged.Set("sure", "x")
	b.post(openingAt, forged).wants(t, http.StatusConflict, "", "A colleague changed the opening hours")
	other.post(openingAt, sure).wants(t, http.StatusForbidden, "", "You signed in again")
	other.means(ofMedical("off")).wants(t, http.StatusSeeOther, openingAt+"?done=off", "")
	again := b.post(openingAt, sure)
	again.wants(t, http.StatusConflict, "", "A colleague changed the opening hours after you opened this page")
	again.wants(t, http.StatusConflict, "", "they are switched off")
	b.post(openingAt, again.form(t, openingAt)).wants(t, http.StatusSeeOther, openingAt+"?done=pause", "")
	b.post(openingAt, again.form(t, openingAt)).wants(t, http.StatusBadRequest, "", "You have not changed anything")
	found, err := projections.Availability{DB: s.pool}.Receptions(t.Context(), elm)
	must(t, err)
	if got := found.Reception(request.Medical).Intake; !got.Paused || !got.SwitchedOff {
		t.Errorf("got %+v", got)
	}
	if oaks, err := (projections.Availability{DB: s.pool}).Receptions(t.Context(), oak); err != nil || len(oaks.Intakes) > 0 {
		t.Errorf("the other practice has %+v, %v", oaks, err)
	}
}
