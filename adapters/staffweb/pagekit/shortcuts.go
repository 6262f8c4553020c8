package pagekit

import "net/http"

// shortcutsAge is how long a browser keeps the wish for shortcuts.
const shortcutsAge = 400 * 24 * 60 * 60 // seconds: browsers keep no cookie for longer

// ShortcutsCookie holds the member who has switched on keyboard shortcuts in the browser. It
// decides nothing but which script a page has.
func (s *Site) ShortcutsCookie(r *Request, on bool) *http.Cookie {
	if !on {
		return s.Cookie(r, "frontdesk.keys-", "")
	}
	c := s.Cookie(r, "frontdesk.keys-", r.Session.Staff.String())
	c.SameSite, c.MaxAge = http.SameSiteStrictMode, shortcutsAge
	return c
}

// HasShortcuts reports whether the member has switched on keyboard shortcuts in this browser.
func (s *Site) HasShortcuts(r *Request) bool {
	return r.SignedIn && r.CookieValue(s.ShortcutsCookie(r, false)) == r.Session.Staff.String()
}
