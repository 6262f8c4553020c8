package staffweb_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// Ten presses of Arrived, each followed by a refresh of four open pages, add no line.
func TestRefreshAddsNoLine_D157(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	var tabs []*browser
	for _, user := range []string{"kim", "kim", "bob", "bob"} {
		b := c.browser(t)
		b.signIn(elm, user)
		b.get(dayAt)
		tabs = append(tabs, b)
	}
	for n := range 10 {
		c.visit = c.expect(t, c.Now().Add(time.Duration(n)*time.Minute))
		page := tabs[0].get(dayAt + "?fragment")
		if answer := c.sends(tabs[0], page, "arrived"); answer.StatusCode != http.StatusSeeOther {
			t.Errorf("the press is answered %d", answer.StatusCode)
		}
		for _, b := range tabs {
			b.get(dayAt+"?fragment").wants(t, http.StatusOK, "", "Arrived")
		}
	}
	if lines := c.looks.all(); len(lines) != len(tabs) {
		t.Errorf("%d lines for %d sessions", len(lines), len(tabs))
	}
	c.Pass(10 * time.Minute)
	tabs[0].get(dayAt + "?fragment")
	if lines := c.looks.all(); len(lines) != len(tabs)+1 {
		t.Errorf("%d lines after ten minutes", len(lines))
	}
}

// shownIn adds lines of the access record: pages that showed a patient to a member.
func (s *service) shownIn(t *testing.T, by staff.ID, topic string, who patient.ID, times ...time.Time) {
	t.Helper()
	for _, at := range times {
		look := access.Look(event.NewID(), at, elm, by, topic, []patient.ID{who})
		_, err := s.pool.Exec(t.Context(), `INSERT INTO access_record (request_id, at, tenant, application, mode, staff, endpoint, status, code, reason, act, token_hash)
			VALUES ($1, $2, $3, $4, 'page', $5, $6, 200, '', '', $7, '\x00')`, look.RequestID, look.At, elm, uuid.Nil, by.UUID, topic, look.ShownPatients())
		must(t, err)
	}
}

// The history groups lists by person, page and hour, and filters by person and date.
func TestHistoryIsGroupedAndFiltered_D157(t *testing.T) {
	t.Parallel()
	s, b, ann := officer(t)
	member := func(username string) staff.ID {
		id, err := s.pages.Desk.Staff.StaffByUsername(t.Context(), elm, username)
		must(t, err)
		return id
	}
	rose, kim := member("rose"), member("po.ann")
	noon := s.Now().Truncate(time.Hour) // 13:00 at the practice
	s.shownIn(t, rose, "day", ann, noon.Add(-26*time.Hour), noon.Add(2*time.Minute), noon.Add(14*time.Minute), noon.Add(59*time.Minute), noon.Add(time.Hour))
	s.shownIn(t, kim, "requests", ann, noon.Add(3*time.Minute))
	rows := func(query string, want ...string) {
		t.Helper()
		page := b.get(about(ann) + "?" + query)
		page.wants(t, http.StatusOK, "", "")
		list, _, _ := strings.Cut(page.body, "</section>")
		if n := strings.Count(list, `<p class="when">`); n != len(want) {
			t.Errorf("%s lists %d rows:\n%s", query, n, list)
		}
		for _, w := range want {
			if !strings.Contains(list, w) {
				t.Errorf("%s lacks %q:\n%s", query, w, list)
			}
		}
	}
	rows("show=lists", "2:00pm on 1 July", "1:02pm to 1:59pm on 1 July 2026, 3 times", "1:03pm on 1 July", "11:00am on 30 June")
	rows("show=lists&by="+rose.String()+"&from=1+7+2026", "2:00pm on 1 July", "1:02pm to 1:59pm on 1 July 2026, 3 times")
	rows("show=lists&until=30/06/2026", "11:00am on 30 June")
	rows("show=lists&from=2+7+2026")
	rows("show=calls")
	rows("show=openings")
	rows("show=changes", "registered the patient")
	rows("")
	b.get(about(ann)+"?show=changes&from=2+7+2026").wants(t, http.StatusOK, "", "Nothing matches the filter.")
	b.get(about(ann)+"?from=soon&until=31+2+2026").wants(t, http.StatusBadRequest, "", "31 February 2026 does not exist")
	b.get(about(ann)+"?from=soon").wants(t, http.StatusBadRequest, "", "Enter a date with a day, month and year")
	for _, odd := range []string{"show=lists&before=9", "before=x", "show=changes&before=" + uuid.NewString()} {
		b.get(about(ann)+"?"+odd).wants(t, http.StatusBadRequest, "", "could not read")
	}
}

// Neither the line of a list nor that of the details covers the page of a restricted record,
// which also shows appointments.
func TestRestrictedPageHasItsOwnLine_D157(t *testing.T) {
	t.Parallel()
	s, b, ann := reception(t)
	must(t, s.pages.Desk.RestrictPatientRecord(t.Context(), commands.RestrictPatientRecord{Tenant: elm, Patient: ann, Usernames: []string{"dr.lee"}}))
	at := patientsPage + "/" + ann.String()
	for range 2 {
		b.get(at + "/details")
		b.get(at).wants(t, http.StatusOK, "", "you do not have access")
	}
	b.do(http.MethodHead, at, nil).wants(t, http.StatusOK, "", "") // covered by nothing
	var topics []string
	for _, line := range s.looks.all() {
		topics = append(topics, string(line.Endpoint))
	}
	if want := []string{"patients", "patients-closed", "patients-closed"}; !slices.Equal(topics, want) {
		t.Errorf("lines of %q, want %q", topics, want)
	}
}

// A line that the access record could not take covers nothing.
func TestLostLineCoversNothing_D157(t *testing.T) {
	t.Parallel()
	s, b, ann := reception(t)
	details := patientsPage + "/" + ann.String() + "/details"
	for n, full := range []bool{true, true, false, false} {
		s.looks.loses(full)
		b.get(details).wants(t, http.StatusOK, "", "Ann Archer")
		if lines := len(s.looks.all()); lines != max(0, min(1, n-1)) {
			t.Errorf("%d lines after %d looks", lines, n+1)
		}
	}
}
