package staffweb_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"frontdesk/commands"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

const teamsAt = "/elm-street/staff/teams"

var teamLink = regexp.MustCompile(`teams\?team=([0-9a-f-]{36})`)

// A manager keeps teams of current staff, and another practice has none of them.
func TestManagersKeepTeams_D164(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	may := a.signedIn(t, elm, "dr.may")
	form := may.get(teamsAt+"?add").form(t, teamsAt)
	bob := a.accountOf(t, "bob")
	add := func(name string) seen {
		return may.post(teamsAt, with(form, "do", "set", "name", name, "member", bob.String()))
	}
	add(" ").wants(t, http.StatusBadRequest, "", "Enter a name of at most 60 printable characters.")
	again := add(strings.Repeat("x", staff.MaxTeamName+1))
	again.wants(t, http.StatusBadRequest, "", `value="`+bob.String()+`" checked`)
	add("GPs").wants(t, http.StatusSeeOther, teamsAt+"?done=saved", "")
	add("gps").wants(t, http.StatusBadRequest, "", "Choose another name")
	page := may.get(teamsAt)
	page.wants(t, http.StatusOK, "", "Bob")
	id := teamLink.FindStringSubmatch(page.body)[1]
	stale := may.get(teamsAt+"?team="+id).form(t, teamsAt)
	may.post(teamsAt, with(stale, "do", "set", "name", "Doctors")).wants(t, http.StatusSeeOther, teamsAt+"?done=saved", "")
	may.post(teamsAt, with(stale, "do", "set", "name", "Others")).wants(t, http.StatusConflict, "", `value="Others"`)
	may.post(teamsAt, with(stale, "do", "set", "token", "x", "name", "Lost?")).wants(t, http.StatusForbidden, "", `value="Lost?"`)

	eve := a.accountOf(t, "eve") // of another practice
	may.post(teamsAt, with(form, "do", "set", "name", "Spies", "member", eve.String())).wants(t, http.StatusBadRequest, "", "")
	fresh := may.get(teamsAt+"?team="+id).form(t, teamsAt)
	may.post(teamsAt, with(fresh, "do", "remove")).wants(t, http.StatusSeeOther, teamsAt+"?done=removed", "")
	may.get(teamsAt+"?team="+id).wants(t, http.StatusNotFound, "", "We could not find that team")
	may.post(teamsAt, with(fresh, "do", "set", "name", "Back")).wants(t, http.StatusNotFound, "", "We could not find that team")
}

func (p *posed) accountOf(t *testing.T, username string) (id staff.ID) {
	t.Helper()
	must(t, p.pool.QueryRow(t.Context(), `SELECT staff FROM staff WHERE username = $1`, username).Scan(&id))
	return id
}

func (p *posed) team(t *testing.T, tenant, name string, members ...staff.ID) staff.TeamID {
	t.Helper()
	id, err := p.pages.Desk.AddTeam(t.Context(), commands.AddTeam{Tenant: tenant, Name: name, Members: members})
	must(t, err)
	return id
}

// A request goes to a team of the practice, with the note, and to no other practice's team.
func TestRequestIsGivenToTeamOnPage_D164(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	gps, other := a.team(t, elm, "GPs", a.accountOf(t, "kim")), a.team(t, oak, "Spies", a.accountOf(t, "eve"))
	bob, kim := a.signedIn(t, elm, "bob"), a.signedIn(t, elm, "kim")
	page := bob.get(a.page)
	page.wants(t, http.StatusOK, "", `<option value="team-`+gps.String()+`">GPs (team), 0 open</option>`)
	if strings.Contains(page.body, "Spies") {
		t.Error("another practice's team is offered")
	}
	form := page.form(t, a.page)
	for _, wrong := range []string{"team-" + other.String(), gps.String(), "team-" + a.accountOf(t, "kim").String(), "team-x", ""} {
		bob.post(a.page, with(form, "do", "give", "to", wrong)).wants(t, http.StatusBadRequest, "", "Choose a colleague or a team.")
	}
	bob.post(a.page, with(form, "do", "give", "to", "team-"+gps.String(), "text", "Please ring.")).wants(t, http.StatusSeeOther, a.page+"?tab=new&done=give", "")
	a.followInbox(t)
	if given, noted := a.appended(t, "patient-request.given-to-team.v1"), a.appended(t, "patient-request.noted.v1"); given != 1 || noted != 1 {
		t.Errorf("%d given, %d noted", given, noted)
	}
	mine := func(b *browser) string { return b.get("/elm-street/staff/requests?tab=mine").body }
	if body := mine(kim); !strings.Contains(body, annName) || !strings.Contains(body, "With GPs.") {
		t.Errorf("a member of the team sees\n%s", body)
	}
	if body := mine(bob); strings.Contains(body, annName) {
		t.Error("a colleague who is not in the team has the request")
	}
	kim.get(a.page).wants(t, http.StatusOK, "", "gave this to the team GPs")
	kim.post(a.page, with(kim.get(a.page).form(t, a.page), "do", "take")).wants(t, http.StatusSeeOther, a.page+"?tab=new&done=take", "")
	bob.get(a.page).wants(t, http.StatusOK, "", "Kim has it.")
}

// Only its holder puts a request off, until a valid day, and the request says the day.
func TestRequestIsPutOffOnPage_D165(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	a.pages.Desk.Receptions = projections.Availability{DB: a.pool}
	bob, kim := a.signedIn(t, elm, "bob"), a.signedIn(t, elm, "kim")
	form := bob.get(a.page).form(t, a.page)
	for _, wrong := range []string{"", "tomorrow", a.Now().Format("2 1 2006"), a.Now().AddDate(2, 0, 0).Format("2 1 2006")} {
		bob.post(a.page, with(form, "do", "put-off", "until", wrong)).wants(t, http.StatusBadRequest, "", "Choose a day after today, and within a year.")
	}
	day := a.Now().AddDate(0, 0, 2)
	bob.post(a.page, with(form, "do", "put-off", "until", day.Format("2/1/2006"))).wants(t, http.StatusSeeOther, a.page+"?tab=new&done=put-off", "")
	a.followInbox(t)
	bob.get(a.page).wants(t, http.StatusOK, "", "Later, until "+day.Format("2 January 2006")+". Unassigned")
	later := kim.get("/elm-street/staff/requests?tab=later")
	later.wants(t, http.StatusOK, "", "Until "+day.Format("2 January 2006"))
	if body := kim.get("/elm-street/staff/requests").body; strings.Contains(body, annName) {
		t.Error("a request that was put off is new")
	}
	take := url.Values{"token": {later.form(t, a.page).Get("token")}, "new": {"yes"}, "tab": {"later"}, "do": {"take"}}
	kim.post(a.page, take).wants(t, http.StatusSeeOther, a.page+"?tab=later&done=take", "")
	bob.post(a.page, with(bob.get(a.page).form(t, a.page), "do", "put-off", "until", day.Format("2/1/2006"))).wants(t, http.StatusConflict, "", "A colleague has already taken this request.")
}
