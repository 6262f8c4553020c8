package account

import "frontdesk/adapters/staffweb/pagekit"

const shortcutsToken = "shortcuts"

// setShortcuts switches keyboard shortcuts on or off, in this browser.
func (s *Section) setShortcuts(r *pagekit.Request) error {
	do := r.Form.Get("do")
	switch {
	case !r.HasToken(shortcutsToken):
		return pagekit.ErrStale
	case do != "shortcuts-on" && do != "shortcuts-off":
		return pagekit.ErrUnreadable
	}
	r.SetCookie(s.ShortcutsCookie(r, do == "shortcuts-on"))
	return r.Redirect(r.Base() + "/account?done=" + do)
}
