package account

import (
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/signin"
)

// deviceCookie holds the token by which the sign-in page recognises the browser. It
// outlives sessions. No practice's name has a dot, so it cannot collide with a
// session's cookie.
func (s *Section) deviceCookie(v *pagekit.Visit, token string) *http.Cookie {
	c := s.Cookie(v, "frontdesk.device-", token)
	c.SameSite, c.MaxAge = http.SameSiteStrictMode, int(signin.DeviceLifetime.Seconds())
	return c
}

// stepCookie holds the step between the password and the passkey.
func (s *Section) stepCookie(v *pagekit.Visit, token string) *http.Cookie {
	c := s.Cookie(v, "frontdesk.step-", token)
	c.SameSite = http.SameSiteStrictMode
	return c
}

// challengeCookie holds the browser's part of a challenge for a passkey.
func (s *Section) challengeCookie(v *pagekit.Visit, kept string) *http.Cookie {
	c := s.Cookie(v, "frontdesk.challenge-", kept)
	c.SameSite = http.SameSiteStrictMode
	return c
}
