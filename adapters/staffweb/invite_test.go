package staffweb_test

import (
	"net/http"
	"strings"
	"testing"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

func TestManagerInvitesByNameAndEmail_D67(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.browser(t)
	b.signIn(elm, "dr.may")
	form := b.get(people+"?invite").actionForm(t, "invite", staff.Clinician, staff.Receptionist)
	for _, c := range []struct{ name, username, email, want string }{
		{"", "kim", "kim@elm.example", `href="#name">Enter their full name`},
		{"Kim", "", "kim@elm.example", `href="#username">Enter a username`},
		{"Kim", "0190c7a2-0000-7000-8000-000000000000", "kim@elm.example", `href="#username">A username must be`},
		{"", "", "", `href="#email">Enter their email address`},
		{"Kim", "dr.lee", "kim@elm.example", `href="#username">Choose another username`},
		{"Kim", "kim", "nonsense", `href="#email">The email address must be`},
	} {
		for field, typed := range map[string]string{"name": c.name, "username": c.username, "email": c.email} {
			form.Set(field, typed)
		}
		page := b.post(people, form)
		page.wants(t, http.StatusBadRequest, "", c.want)
		page.wants(t, http.StatusBadRequest, "", `value="clinician" checked`) // the typed values are kept
	}
	form.Set("email", "kim@elm.example")
	page := b.post(people, form)
	page.wants(t, http.StatusOK, "", "It can be used once, until 1:00pm on Saturday 4 July.")
	secret := secretOf(t, page)
	if again := b.post(people, form); again.StatusCode != http.StatusBadRequest || strings.Contains(again.body, "readonly autofocus") || s.links(t) != 1 {
		t.Errorf("sent again, the form is answered %s, %d links", again.Status, s.links(t))
	}
	b.get(people).wants(t, http.StatusOK, "", "<bdi>kim</bdi>, receptionist and clinician")
	b.get(people).wants(t, http.StatusOK, "", "Unused link expires 1:00pm on Saturday 4 July")
	if strings.Contains(s.watched.String(), secret) {
		t.Error("the log holds the secret")
	}
	theirs := s.browser(t)
	theirs.choose(theirs.follow(secret), better).wants(t, http.StatusSeeOther, account+"?done=link", "")

	var by string
	must(t, s.pool.QueryRow(t.Context(), `SELECT metadata::jsonb->'actor'->>'kind' FROM events WHERE name = 'staff.invited.v1'`).Scan(&by))
	if by != string(event.ByStaff) {
		t.Errorf("invited by %s", by)
	}
}
