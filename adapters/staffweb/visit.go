package staffweb

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/gorilla/mux"

	"frontdesk/adapters/fair"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// visit is one request for a page: who asks for what, at which practice.
type visit struct {
	w        http.ResponseWriter // of its headers; the rest of the answer is written after the visit
	r        *http.Request
	id       string               // made here, one for each request
	source   string               // where the browser is
	tenant   string               // the practice as the address names it; there need not be one
	practice projections.Signpost // zero unless somebody is signed in
	session  signin.Session
	signedIn bool
	form     url.Values // the body of a POST, the query of any other request
	ask      ask

	seat   *fair.Seat // nil for none
	status int
	body   bytes.Buffer
}

// sit gives back the seat that the visit has, and takes another.
func (v *visit) sit(among *fair.Shares) error {
	v.leave()
	v.seat = among.Seat(v.source)
	if !v.seat.Take() {
		return errBusy
	}
	return nil
}

// leave gives back the seat that the visit has, if it has one.
func (v *visit) leave() { v.seat.Release() }

// enter finds out what every page needs to know: what an application has asked for,
// who is signed in, and at which practice. A browser that shows no session is told
// nothing of the practice, not even that there is one, and the database is not asked.
func (p *Pages) enter(v *visit) (err error) {
	if err := p.readForm(v); err != nil {
		return err
	}
	v.tenant = strings.Clone(mux.Vars(v.r)["tenant"]) // counts that hold it must not hold the whole request line
	token := v.shown(p.sessionCookie(v, ""))
	if token == "" {
		return nil
	}
	if err := v.sit(p.seats.pages); err != nil {
		return err
	}
	if v.session, v.signedIn, err = p.Door.Sessions.Of(v.ctx(), v.tenant, token); err != nil || !v.signedIn {
		return err
	}
	v.practice, err = p.Signposts.Of(v.ctx(), v.tenant)
	return err
}

// cookie holds something of one practice. The practice is part of its name, so that
// one browser can be signed in at two. An empty value removes the cookie.
func (p *Pages) cookie(v *visit, kind, value string) *http.Cookie {
	c := &http.Cookie{
		Name: kind + v.tenant, Value: value, Path: v.base(),
		HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	if p.secure() { // no other host and no page without TLS can set such a cookie
		c.Name, c.Path, c.Secure = "__Host-"+c.Name, "/", true
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

// sessionCookie holds a session.
func (p *Pages) sessionCookie(v *visit, token string) *http.Cookie {
	return p.cookie(v, "frontdesk-", token)
}

// deviceCookie holds the token by which the sign-in page knows the browser again. It
// outlives sessions. No practice's name has a dot, so no session's cookie is called so.
func (p *Pages) deviceCookie(v *visit, token string) *http.Cookie {
	c := p.cookie(v, "frontdesk.device-", token)
	c.SameSite, c.MaxAge = http.SameSiteStrictMode, int(signin.DeviceLifetime.Seconds())
	return c
}

// stepCookie holds the step between the password and the passkey.
func (p *Pages) stepCookie(v *visit, token string) *http.Cookie {
	c := p.cookie(v, "frontdesk.step-", token)
	c.SameSite = http.SameSiteStrictMode
	return c
}

// challengeCookie holds what the browser keeps of a challenge for a passkey.
func (p *Pages) challengeCookie(v *visit, kept string) *http.Cookie {
	c := p.cookie(v, "frontdesk.challenge-", kept)
	c.SameSite = http.SameSiteStrictMode
	return c
}

// shown is the value of a cookie as the browser shows it; "" if it shows none.
func (v *visit) shown(cookie *http.Cookie) string {
	c, err := v.r.Cookie(cookie.Name)
	if err != nil {
		return ""
	}
	return c.Value
}

func (v *visit) ctx() context.Context { return v.r.Context() }

// asStaff is the visit's context. It makes the member of staff the actor of every
// event that the visit causes.
func (v *visit) asStaff() context.Context {
	return event.WithMetadata(v.ctx(), event.Metadata{
		Actor: event.Staff(v.session.Staff.UUID), RequestID: v.id,
	})
}

// asStranger is the visit's context if nobody is signed in who does what it causes.
func (v *visit) asStranger() context.Context {
	return event.WithMetadata(v.ctx(), event.Metadata{RequestID: v.id})
}

// by is the opaque id of the member of staff; "" if nobody is signed in.
func (v *visit) by() string {
	if !v.signedIn {
		return ""
	}
	return v.session.Staff.String()
}

// base is the path of the practice's pages.
func (v *visit) base() string { return "/" + v.tenant + "/staff" }

// owns reports whether the form that was sent carries the session's token for
// the purpose.
func (v *visit) owns(purpose string) bool {
	return v.signedIn && v.session.Owns(v.form.Get("token"), purpose)
}

// goTo sends the browser on, to a path of ours or to a callback that was found
// registered. The address is sent exactly as it is written.
func (v *visit) goTo(address string) error {
	v.w.Header().Set("Location", address)
	v.status = http.StatusSeeOther
	return nil
}
