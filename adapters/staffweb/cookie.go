package staffweb

import "net/http"

// secure reports whether browsers reach the pages by https.
func (p *Pages) secure() bool { return p.URL != nil && p.URL.Scheme == "https" }

// cookie holds a session of one practice. It is named after it, so that a
// browser can be signed in at two (D27).
func (p *Pages) cookie(v *visit, token string) *http.Cookie {
	c := &http.Cookie{
		Name: "frontdesk-" + v.practice.Tenant, Value: token, Path: v.base(),
		HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	if p.secure() { // no other host and no plain page can set such a cookie
		c.Name, c.Path, c.Secure = "__Host-"+c.Name, "/", true
	}
	if token == "" {
		c.MaxAge = -1
	}
	return c
}

// token is the session that the browser shows; "" if it shows none.
func (p *Pages) token(v *visit) string {
	if c, err := v.r.Cookie(p.cookie(v, "").Name); err == nil {
		return c.Value
	}
	return ""
}
