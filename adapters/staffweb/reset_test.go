package staffweb_test

import (
	"html"
	"net/http"
	"testing"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// twoManagers are managers whose accounts two operators opened two days ago.
func (s *service) twoManagers(t *testing.T) (first, second *browser) {
	t.Helper()
	s.memberBy(t, event.Operator("alice", ""), "mia", staff.Manager)
	s.memberBy(t, event.Operator("bob", ""), "nora", staff.Manager)
	s.Pass(48 * time.Hour)
	first, second = s.browser(t), s.browser(t)
	first.signIn(elm, "mia")
	second.signIn(elm, "nora")
	return first, second
}

// lee signs in and adds a passkey.
func (s *service) leeWithPasskey(t *testing.T) *browser {
	t.Helper()
	lee, key := s.named(t)
	lee.signIn(elm, "dr.lee")
	lee.adds(key)
	return lee
}

func TestManagerAloneCannotResetPasskeyHolder_D141(t *testing.T) {
	t.Parallel()
	s := newService(t)
	mia, nora := s.twoManagers(t)
	lee := s.leeWithPasskey(t)
	at := s.about(t, elm, "dr.lee")

	mia.post(people, mia.get(at).actionForm(t, "reset")).wants(t, http.StatusBadRequest, "", html.EscapeString(staff.ErrResetNotRequested.Detail))
	mia.post(people, mia.get(at).actionForm(t, "request-reset")).wants(t, http.StatusSeeOther, at+"&done=request-reset", "")
	mia.post(people, mia.get(at).actionForm(t, "reset")).wants(t, http.StatusBadRequest, "", html.EscapeString(staff.ErrResetWaits.Detail))
	// Nor by deactivating and reactivating.
	lee.get(atElm+"account").wants(t, http.StatusOK, "", "The name of mia")
	lee.get(atElm+"authorisations").wants(t, http.StatusOK, "", "A reset of your account has been requested.")

	stop := lee.get(atElm+"account").form(t, atElm+"account/reset")
	lee.post(atElm+"account/reset", stop).wants(t, http.StatusSeeOther, atElm+"account?done=reset-stopped", "")
	lee.post(atElm+"account/reset", stop).wants(t, http.StatusSeeOther, atElm+"account?done=reset-stopped", "")
	nora.post(people, nora.get(at).actionForm(t, "reset")).wants(t, http.StatusBadRequest, "", html.EscapeString(staff.ErrResetNotRequested.Detail))

	mia.post(people, mia.get(at).actionForm(t, "request-reset"))
	secretOf(t, nora.post(people, nora.get(at).actionForm(t, "reset")))
	lee.get(atElm+"account").wants(t, http.StatusSeeOther, atElm+"sign-in?then=account", "")
}

// A manager whom the requester has invited is not independent.
func TestManagerCannotInviteTheirSecondPerson_D141(t *testing.T) {
	t.Parallel()
	s := newService(t)
	mia, _ := s.twoManagers(t)
	s.leeWithPasskey(t)
	at := s.about(t, elm, "dr.lee")
	mia.post(people, mia.get(at).actionForm(t, "request-reset")).wants(t, http.StatusSeeOther, at+"&done=request-reset", "")
	id, err := s.pages.Desk.Staff.StaffByUsername(t.Context(), elm, "mia")
	must(t, err)
	s.memberBy(t, event.Staff(id.UUID), "puppet", staff.Manager)
	puppet := s.browser(t)
	puppet.signIn(elm, "puppet")
	puppet.post(people, puppet.get(at).actionForm(t, "reset")).wants(t, http.StatusBadRequest, "", html.EscapeString(staff.ErrResetDependent.Detail))
}

func TestDeactivatingIsNoWayRoundReset_D141(t *testing.T) {
	t.Parallel()
	s := newService(t)
	mia, nora := s.twoManagers(t)
	s.leeWithPasskey(t)
	at := s.about(t, elm, "dr.lee")
	act := func(b *browser, do string) seen { return b.post(people, b.get(at).actionForm(t, do)) }
	act(mia, "deactivate").wants(t, http.StatusSeeOther, at+"&done=deactivate", "")
	act(mia, "reactivate").wants(t, http.StatusBadRequest, "", html.EscapeString(staff.ErrResetNotRequested.Detail))
	act(mia, "request-reset").wants(t, http.StatusSeeOther, at+"&done=request-reset", "")
	act(mia, "reactivate").wants(t, http.StatusBadRequest, "", html.EscapeString(staff.ErrResetWaits.Detail))
	secretOf(t, act(nora, "reactivate"))
}

func TestResetGoesOnAfterADay_D141(t *testing.T) {
	t.Parallel()
	s := newService(t)
	mia, _ := s.twoManagers(t)
	s.leeWithPasskey(t)
	at := s.about(t, elm, "dr.lee")
	act := func(do string) seen { return mia.post(people, mia.get(at).actionForm(t, do)) }
	act("request-reset").wants(t, http.StatusSeeOther, at+"&done=request-reset", "")
	s.Pass(24 * time.Hour)
	mia.signIn(elm, "mia")
	secret := secretOf(t, act("reset"))
	lee, err := s.pages.Desk.Staff.StaffByUsername(t.Context(), elm, "dr.lee")
	must(t, err)
	for range 40 { // strangers' attempts do not push a reset out of the history
		_, err = s.store.Append(t.Context(), event.Change{
			Stream: event.Stream{Tenant: elm, ID: staff.TriesStream(elm, lee, s.Now()).ID}, Expected: s.tries(t, lee),
			Events: []event.Event{staff.SignInFailed{Staff: lee, Tries: map[staff.How]int{staff.ByPassword: 2}, Sources: []staff.Source{}}},
		})
		must(t, err)
	}
	owner := s.browser(t)
	owner.choose(owner.follow(secret), better).wants(t, http.StatusSeeOther, account+"?done=link", "")
	page := owner.get(account + "?done=link")
	for _, want := range []string{
		"Your password and your passkeys were reset, by <bdi>The name of mia</bdi>", "A reset of your account was requested, by <bdi>The name of mia</bdi>",
		"A passkey was added, by <bdi>you</bdi>", "The last of 80 failed attempts to sign in as you",
	} {
		page.wants(t, http.StatusOK, "", want)
	}
}

// tries counts the events about failed attempts of today.
func (s *service) tries(t *testing.T, member staff.ID) (n int) {
	t.Helper()
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE stream = $1`, staff.TriesStream(elm, member, s.Now()).ID).Scan(&n))
	return n
}
