package staffweb_test

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// opensOnWednesdays gives the practice hours: all types from 8am to 6:30pm.
func (c *clinic) opensOnWednesdays(t *testing.T) {
	t.Helper()
	for _, typ := range request.Types() {
		must(t, c.pages.Desk.SetOpeningHours(t.Context(), commands.SetOpeningHours{Tenant: elm, RequestType: typ, Hours: []string{"wed 08:00-18:30"}}))
	}
}

func (c *clinic) booked(t *testing.T) (n int) {
	t.Helper()
	found, err := projections.Appointments{DB: c.pool}.OfPatientBetween(t.Context(), elm, c.ann, c.Now(), c.Now().AddDate(10, 0, 0))
	must(t, err)
	return len(found)
}

func TestBookingConfirmsOddTimes_D155(t *testing.T) {
	t.Parallel()
	c := newClinic(t) // Ann is expected at 1pm
	c.opensOnWednesdays(t)
	b := c.browser(t)
	b.signIn(elm, "kim")
	const book = dayAt + "/book"
	n := c.booked(t)
	for _, odd := range []struct{ date, time, says string }{
		{"2026-07-01", "13:00", "The patient already has an appointment at 1:00pm on Wednesday 1 July 2026."},
		{"2026-07-05", "03:00", "The practice is closed at 3:00am on Sunday 5 July 2026."},
		{"2027-07-07", "10:00", "10:00am on Wednesday 7 July 2027 is more than a year ahead."},
	} {
		form := b.get(book+"?patient="+c.ann.String()).form(t, book)
		form.Set("site", c.branch.String())
		form.Set("date", odd.date)
		form.Set("time", odd.time)
		asked := b.post(book, form)
		asked.wants(t, http.StatusConflict, "", odd.says)
		asked.wants(t, http.StatusConflict, "", "Book anyway")
		asked.wants(t, http.StatusConflict, "", `value="`+odd.time+`"`)
		if c.booked(t) != n {
			t.Fatalf("%s at %s is booked without a confirmation", odd.date, odd.time)
		}
		confirmed := maps.Clone(form)
		confirmed.Set("anyway", asked.form(t, book).Get("anyway"))
		other := maps.Clone(confirmed) // what was confirmed is this time only
		other.Set("date", "2028-07-09")
		b.post(book, other).wants(t, http.StatusConflict, "", "Sunday 9 July 2028 is more than a year ahead.")
		for range 2 {
			if answer := b.post(book, confirmed); answer.StatusCode != http.StatusSeeOther {
				t.Fatalf("%s at %s is answered %s\n%s", odd.date, odd.time, answer.Status, answer.body)
			}
		}
		if n++; c.booked(t) != n {
			t.Errorf("%d appointments, want %d", c.booked(t), n)
		}
	}
}

// The form itself makes no doubt: it is sent twice by a double click.
func TestDoubleClickOnBookIsNoDoubt_D155(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	b := c.browser(t)
	b.signIn(elm, "kim")
	const book = dayAt + "/book"
	form := b.get(book+"?patient="+c.ann.String()).form(t, book)
	form.Set("date", "2026-07-02")
	form.Set("time", "10:00")
	for range 2 {
		if answer := b.post(book, form); answer.StatusCode != http.StatusSeeOther {
			t.Errorf("it is answered %s\n%s", answer.Status, answer.body)
		}
	}
}

func TestMovingConfirmsOddTimes_D155(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.opensOnWednesdays(t)
	c.expect(t, time.Date(2026, 7, 8, 9, 0, 0, 0, time.UTC))
	b := c.browser(t)
	b.signIn(elm, "kim")
	page := b.get(c.at(c.visit) + "?from=patient")
	asked := c.sends(b, page, "move", "date", "2026-07-08", "time", "10:00")
	asked.wants(t, http.StatusConflict, "", "The patient already has an appointment at 10:00am on Wednesday 8 July 2026.")
	asked.wants(t, http.StatusConflict, "", "Move anyway")
	c.sends(b, page, "move", "date", "2026-07-09", "time", "10:00").wants(t, http.StatusConflict, "", "The practice is closed at 10:00am on Thursday 9 July 2026.")
	if is := c.is(t); !is.StartsAt.Equal(c.Now()) {
		t.Errorf("it has moved to %s", is.StartsAt)
	}
	c.sends(b, asked, "move", "date", "2026-07-08", "time", "10:00").
		wants(t, http.StatusSeeOther, "/elm-street/staff/patients/"+c.ann.String()+"?done=move", "")
	// Its own time is no doubt, and on its own page neither is a wrong time.
	c.sends(b, b.get(c.at(c.visit)+"?ask=move"), "move", "date", "2026-07-08", "time", "x").wants(t, http.StatusBadRequest, "", "<h1>Move this appointment</h1>")
}
