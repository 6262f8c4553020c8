package staffweb_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/domain/appointment"
	"frontdesk/projections"
)

// does sends an action from the day, and returns the page that follows.
func (c *clinic) does(b *browser, do string, more ...string) seen {
	b.t.Helper()
	answer := c.sends(b, b.get(dayAt), do, more...)
	if answer.StatusCode != http.StatusSeeOther {
		b.t.Fatalf("%s is answered %s\n%s", do, answer.Status, answer.body)
	}
	return b.get(answer.Header.Get("Location"))
}

// names are those of the appointment's events.
func (c *clinic) names(t *testing.T) (names []string) {
	t.Helper()
	events, err := c.pages.Desk.Store.Load(t.Context(), appointment.StreamOf(elm, c.visit))
	must(t, err)
	for _, e := range events {
		names = append(names, strings.TrimPrefix(e.EventName(), "appointment."))
	}
	return names
}

func TestNoticeUndoesTheLastStep_D155(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	b := c.browser(t)
	b.signIn(elm, "kim")
	undo := func(page seen, says string) {
		t.Helper()
		page.wants(t, http.StatusOK, "", `value="undo">Undo<span class="unseen">: <bdi>Ann`)
		_, notice, _ := strings.Cut(page.body, `class="undo"`)
		form := seen{Response: page.Response, body: `<form ` + notice}.form(t, c.at(c.visit))
		form.Set("do", "undo")
		for range 2 { // a double click
			answer := b.post(c.at(c.visit), form)
			if answer.StatusCode != http.StatusSeeOther {
				t.Fatalf("undo is answered %s\n%s", answer.Status, answer.body)
			}
			b.get(answer.Header.Get("Location")).wants(t, http.StatusOK, "", says)
		}
	}

	undo(c.does(b, "arrived"), "The last step is undone.")
	if is := c.is(t); is.ArrivedAt != nil {
		t.Errorf("the arrival is undone, and it is %+v", is)
	}
	c.does(b, "arrived")
	undo(c.does(b, "call-in", "room", c.room.String()), `<span class="tag blue">Arrived</span>`)
	undo(c.does(b, "absent"), `<span class="tag blue">Arrived</span>`)
	want := "booked.v1 arrived.v1 arrival-cleared.v1 arrived.v1 called-in.v1 call-in-removed.v1 did-not-attend.v1 did-not-attend-cleared.v1"
	if got := strings.Join(c.names(t), " "); got != want {
		t.Errorf("the appointment has %s, want %s", got, want)
	}
	b.get(c.at(c.visit)).wants(t, http.StatusOK, "", "You undid that the patient did not attend")
}

func TestUndoEndsAndIsOnesOwn_D155(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	kim, bob := c.browser(t), c.browser(t)
	kim.signIn(elm, "kim")
	bob.signIn(elm, "bob")

	address := c.sends(kim, kim.get(dayAt), "arrived").Header.Get("Location")
	page := kim.get(address)
	if theirs := bob.get(address); strings.Contains(theirs.body, `value="undo"`) {
		t.Error("a colleague is offered to undo it")
	}
	c.sends(bob, bob.get(c.at(c.visit)), "undo").wants(t, http.StatusConflict, "", "Only the person who took the last step can undo it.")
	c.Pass(appointment.UndoLimit)
	if late := kim.get(address); strings.Contains(late.body, `value="undo"`) {
		t.Error("it can be undone after the limit")
	}
	c.sends(kim, page, "undo", "step", "arrived").wants(t, http.StatusConflict, "", "for 30 seconds only")

	page = c.does(kim, "call-in")
	if old := kim.get(address); strings.Contains(old.body, `value="undo"`) {
		t.Error("the notice of an older step offers to undo a newer one")
	}
	c.sends(bob, bob.get(c.at(c.visit)), "clear")
	c.sends(kim, page, "undo", "step", "arrived").wants(t, http.StatusConflict, "", "Bob Hill cancelled the call-in")
	if got := strings.Join(c.names(t), " "); got != "booked.v1 arrived.v1 called-in.v1 call-in-removed.v1" {
		t.Errorf("the appointment has %s", got)
	}
}

func TestStartAndCancelAreConfirmed_D155(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	b := c.browser(t)
	b.signIn(elm, "kim")
	c.does(b, "call-in")
	for do, says := range map[string]string{"start": "Connected apps are notified. You cannot undo this.", "cancel": "The time becomes free. You cannot undo this."} {
		before := len(c.names(t))
		page := c.does(b, do)
		page.wants(t, http.StatusOK, "", says)
		page.wants(t, http.StatusOK, "", "<dt>Patient</dt><dd><bdi>Ann &lt;Archer&gt;</bdi>, born 29 Feb 1980 (46)")
		page.wants(t, http.StatusOK, "", "<dd>1:00pm on Wednesday 1 July 2026</dd>")
		page.wants(t, http.StatusOK, "", `<input type="hidden" name="from" value="day">`)
		if after := len(c.names(t)); after != before {
			t.Errorf("%s has done something before it was confirmed: %v", do, c.names(t))
		}
	}
	for range 2 {
		page := b.get(c.at(c.visit) + "?ask=cancel&from=day")
		if c.is(t).Status == projections.StatusCancelled {
			page.wants(t, http.StatusOK, "", "You cannot change this appointment.")
			continue
		}
		answer := c.sends(b, page, "cancel")
		b.get(answer.Header.Get("Location")).wants(t, http.StatusOK, "", "The appointment is cancelled.")
	}
	for _, page := range []string{"?ask=cancel", "?ask=start", "?ask=x", "?done=cancel"} {
		if page := b.get(c.at(c.visit) + page); strings.Contains(page.body, `name="confirmed"`) || strings.Contains(page.body, `value="undo"`) {
			t.Errorf("a cancelled appointment can be changed:\n%s", page.body)
		}
	}
}

// The page about tomorrow's consultation would be a slip, too.
func TestTomorrowIsNotAskedAbout_D155(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.visit = c.expect(t, c.Now().Add(24*time.Hour))
	b := c.browser(t)
	b.signIn(elm, "kim")
	b.get(c.at(c.visit)+"?ask=start").wants(t, http.StatusOK, "", "Update status")
}
