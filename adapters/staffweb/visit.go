package staffweb

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

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

// Bounds of a form that is sent.
const (
	formBytes = 64 << 10
	formTime  = 2 * time.Second
)

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
	v.tenant = mux.Vars(v.r)["tenant"]
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

// readForm reads the query of a GET and the body of a POST, never both, so that
// a page has one place to look at.
func (p *Pages) readForm(v *visit) error {
	if v.r.Method == http.MethodPost {
		if err := p.receive(v); err != nil {
			return err
		}
	}
	if err := v.r.ParseForm(); err != nil {
		return errUnreadable
	}
	v.form = v.r.Form
	if v.r.Method == http.MethodPost {
		v.form = v.r.PostForm //nolint:forbidigo // the field, not the function of that name
	}
	v.ask = askOf(v.form)
	return nil
}

// receive reads the whole body of a form before anything that others need is taken.
// A form that never comes holds its connection, and its source's share of such seats.
func (p *Pages) receive(v *visit) error {
	if err := v.sit(p.seats.forms); err != nil {
		return err
	}
	defer v.leave()
	whole, err := io.ReadAll(http.MaxBytesReader(v.w, v.r.Body, formBytes))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errLate
	case err != nil:
		return errUnreadable
	}
	v.setReadDeadline(time.Time{}) // otherwise it would end the visit
	v.r.Body = io.NopCloser(bytes.NewReader(whole))
	return nil
}

// bodyWithin ends the wait for a body, also for one that nobody reads: before the
// server answers, it reads what is left.
func (v *visit) bodyWithin(limit time.Duration) {
	if v.r.Body != http.NoBody {
		v.setReadDeadline(time.Now().Add(limit))
	}
}

// setReadDeadline ignores its error, which means that the connection has no deadlines.
func (v *visit) setReadDeadline(at time.Time) {
	_ = http.NewResponseController(v.w).SetReadDeadline(at)
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
		Actor: event.Actor{Kind: event.ByStaff, ID: v.session.Staff.String()}, RequestID: v.id,
	})
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
