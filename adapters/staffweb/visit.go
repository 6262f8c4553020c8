package staffweb

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/gorilla/mux"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// visit is one request for a page: who asks for what, at which practice.
type visit struct {
	w        http.ResponseWriter
	r        *http.Request
	id       string // made here, one for each request
	practice projections.Signpost
	session  signin.Session
	signedIn bool
	form     url.Values // the body of a POST, the query of any other request
	ask      ask
}

// Bounds of a form that is sent.
const (
	formBytes = 64 << 10
	formTime  = 10 * time.Second
)

// enter finds out what every page needs to know: the practice, who is signed
// in, and what an application has asked for.
func (p *Pages) enter(v *visit) (err error) {
	if err := v.readForm(); err != nil {
		return err
	}
	if v.practice, err = p.Signposts.Of(v.ctx(), mux.Vars(v.r)["tenant"]); err != nil {
		return err
	}
	token := p.token(v)
	if token == "" {
		return nil
	}
	v.session, v.signedIn, err = p.Door.Sessions.Of(v.ctx(), v.practice.Tenant, token)
	return err
}

// readForm reads the query of a GET and the body of a POST, never both, so that
// a page has one place to look at.
func (v *visit) readForm() error {
	if v.r.Method == http.MethodPost {
		// The only error is a connection that has no deadlines.
		_ = http.NewResponseController(v.w).SetReadDeadline(time.Now().Add(formTime))
		v.r.Body = http.MaxBytesReader(v.w, v.r.Body, formBytes)
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

// cookie holds a session of one practice. The practice is part of its name, so
// that one browser can be signed in at two.
func (p *Pages) cookie(v *visit, token string) *http.Cookie {
	c := &http.Cookie{
		Name: "frontdesk-" + v.practice.Tenant, Value: token, Path: v.base(),
		HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	if p.secure() { // no other host and no page without TLS can set such a cookie
		c.Name, c.Path, c.Secure = "__Host-"+c.Name, "/", true
	}
	if token == "" {
		c.MaxAge = -1
	}
	return c
}

// token is the session token that the browser shows; "" if it shows none.
func (p *Pages) token(v *visit) string {
	c, err := v.r.Cookie(p.cookie(v, "").Name)
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
func (v *visit) base() string { return "/" + v.practice.Tenant + "/staff" }

// owns reports whether the form that was sent carries the session's token for
// the purpose.
func (v *visit) owns(purpose string) bool {
	return v.signedIn && v.session.Owns(v.form.Get("token"), purpose)
}

// goTo sends the browser on, to a path of ours or to a callback that was found
// registered. The address is sent exactly as it is written.
func (v *visit) goTo(address string) error {
	v.w.Header().Set("Location", address)
	v.w.WriteHeader(http.StatusSeeOther)
	return nil
}
