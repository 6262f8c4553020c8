package staffweb_test

import (
	"net/http"
	"strings"
	"testing"
)

// Shortcuts are off until a member switches them on, for that member alone.
func TestShortcutsAreOffAtFirst_D156(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	b := a.signedIn(t, elm, "bob")
	const account, set = "/elm-street/staff/account", "/elm-street/staff/account/shortcuts"
	has := func() bool { return strings.Contains(b.get("/elm-street/staff/requests").body, "/staff/shortcuts.js?") }
	if has() {
		t.Error("they are on at first")
	}
	form := b.get(account).form(t, set)
	b.post(set, with(form, "do", "shortcuts-on", "token", "x")).wants(t, http.StatusForbidden, "", "")
	b.post(set, with(form, "do", "burn")).wants(t, http.StatusBadRequest, "", "could not read")
	b.post(set, with(form, "do", "shortcuts-on")).wants(t, http.StatusSeeOther, account+"?done=shortcuts-on", "")
	if !has() {
		t.Error("they are not on")
	}
	b.get(account).wants(t, http.StatusOK, "", "Switch off shortcuts")
	b.signIn(elm, "kim") // in the same browser
	if has() {
		t.Error("they are on for a colleague")
	}
	b.signIn(elm, "bob")
	b.post(set, with(b.get(account).form(t, set), "do", "shortcuts-off")).wants(t, http.StatusSeeOther, account+"?done=shortcuts-off", "")
	if has() {
		t.Error("they are still on")
	}
}
