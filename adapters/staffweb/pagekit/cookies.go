package pagekit

import "net/http"

// Cookie is a cookie of one practice. The practice is part of its name, so that one
// browser can be signed in at two. An empty value removes the cookie.
func (s *Site) Cookie(v *Visit, kind, value string) *http.Cookie {
	c := &http.Cookie{
		Name: kind + v.Tenant, Value: value, Path: v.Base(),
		HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	if s.Secure() { // no other host and no page without TLS can set such a cookie
		c.Name, c.Path, c.Secure = "__Host-"+c.Name, "/", true
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

// SessionCookie holds a session.
func (s *Site) SessionCookie(v *Visit, token string) *http.Cookie {
	return s.Cookie(v, "frontdesk-", token)
}

// Shown returns the cookie's value in the request; "" if there is none.
func (v *Visit) Shown(cookie *http.Cookie) string {
	c, err := v.R.Cookie(cookie.Name)
	if err != nil {
		return ""
	}
	return c.Value
}

// SetCookie sets a cookie in the browser.
func (v *Visit) SetCookie(cookie *http.Cookie) { http.SetCookie(v.w, cookie) }
