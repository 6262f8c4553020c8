package staffweb_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/projections"
)

func TestPatientPageMovesAndCancels_D155(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	old := c.expect(t, c.Now().Add(-24*time.Hour))
	b := c.browser(t)
	b.signIn(elm, "kim")
	patient := "/elm-street/staff/patients/" + c.ann.String()
	page := b.get(patient)
	for _, ask := range []string{"move", "cancel"} {
		page.wants(t, http.StatusOK, "", `href="`+c.at(c.visit)+`?ask=`+ask+`&amp;from=patient"`)
	}
	if strings.Contains(page.body, c.at(old)+"?ask") {
		t.Error("an appointment of the past can be moved")
	}
	ask := b.get(c.at(c.visit) + "?ask=move&from=patient")
	ask.wants(t, http.StatusOK, "", `type="text" value="1 July 2026"`)
	ask.wants(t, http.StatusOK, "", `type="text" value="1:00pm"`)
	ask.wants(t, http.StatusOK, "", `<a href="`+patient+`">Back to the patient</a>`)
	c.sends(b, ask, "move", "date", "2 7 2026", "time", "9.40").wants(t, http.StatusSeeOther, patient+"?done=move", "")
	b.get(patient+"?done=move").wants(t, http.StatusOK, "", "The appointment is moved.")
	cancel := b.get(c.at(c.visit) + "?ask=cancel&from=patient")
	cancel.wants(t, http.StatusOK, "", "9:40am on Thursday 2 July 2026")
	c.sends(b, cancel, "cancel").wants(t, http.StatusSeeOther, patient+"?done=cancel", "")
	if is := c.is(t); is.Status != projections.StatusCancelled {
		t.Errorf("it is %s", is.Status)
	}
	if page := b.get(patient); strings.Contains(page.body, "?ask=") {
		t.Error("a cancelled appointment can be moved")
	}
}

func TestBookingReturnsToItsRequest_D155(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	_, err := a.pages.Desk.AddSite(t.Context(), commands.AddSite{Tenant: elm, Name: "Elm House"})
	must(t, err)
	b := a.browser(t)
	b.signIn(elm, "bob")
	at := "/elm-street/staff/requests/" + a.id.String()
	form := b.get(at+"?tab=mine&urgent=yes").form(t, at)
	form.Set("text", "Rang her.")
	form.Set("do", "book")
	book := b.post(at, form).Header.Get("Location")
	if want := dayAt + "/book?" + (url.Values{"patient": {a.ann.String()}, "request": {a.id.String()}, "list": {"tab=mine&urgent=yes"}}).Encode(); book != want {
		t.Fatalf("it leads to %s, want %s", book, want)
	}
	page := b.get(book)
	page.wants(t, http.StatusOK, "", `<a href="`+at+`?tab=mine&amp;urgent=yes">Back to the request</a>`)
	booking := page.form(t, dayAt+"/book")
	booking.Set("date", "3 7 2026")
	booking.Set("time", "soon")
	booking = b.post(dayAt+"/book", booking).form(t, dayAt+"/book")
	booking.Set("date", "3 7 2026")
	booking.Set("time", "2:30pm")
	back := at + "?done=booked&outcome=appointment-booked&tab=mine&urgent=yes"
	b.post(dayAt+"/book", booking).wants(t, http.StatusSeeOther, back+"#handle", "")
	page = b.get(back)
	page.wants(t, http.StatusOK, "", "The appointment is booked.")
	page.wants(t, http.StatusOK, "", `value="appointment-booked" checked`)
	page.wants(t, http.StatusOK, "", "Rang her.")

	booking.Set("list", "%zz&done=x;//evil.example")
	booking.Set("request", "//evil.example")
	if to := b.post(dayAt+"/book", booking).Header.Get("Location"); !strings.HasPrefix(to, dayAt+"?") {
		t.Errorf("a booking leads to %s", to)
	}
}
