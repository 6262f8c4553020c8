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

// visit is one request of a page: who asks for what, at which practice.
type visit struct {
	w        http.ResponseWriter
	r        *http.Request
	id       string // ours, one for each request
	practice projections.Signpost
	session  signin.Session
	signedIn bool
	form     url.Values // what the visit says: the body of a POST, the query of any other
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
	if token := p.token(v); token != "" {
		v.session, v.signedIn, err = p.Desk.Sessions.Of(v.ctx(), v.practice.Tenant, token)
	}
	return err
}

// readForm reads the query of a GET and the body of a POST, never both: what a
// page was asked for is in one place.
func (v *visit) readForm() error {
	if v.r.Method == http.MethodPost {
		// An error only means that the connection knows no deadline.
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

func (v *visit) ctx() context.Context { return v.r.Context() }

// asStaff is the visit's context, with whoever is signed in as the actor of
// every event that it causes.
func (v *visit) asStaff() context.Context {
	return event.WithMetadata(v.ctx(), event.Metadata{
		Actor: event.Actor{Kind: event.ByStaff, ID: v.session.Staff.String()}, RequestID: v.id,
	})
}

// base is the path of the practice's pages.
func (v *visit) base() string { return "/" + v.practice.Tenant + "/staff" }

// owns reports whether the form that was sent is the session's own.
func (v *visit) owns(purpose string) bool {
	return v.signedIn && v.session.Owns(v.form.Get("token"), purpose)
}

// goTo sends the browser on, to a path of ours or to a callback that was found
// registered. The address stays as it is written.
func (v *visit) goTo(address string) error {
	v.w.Header().Set("Location", address)
	v.w.WriteHeader(http.StatusSeeOther)
	return nil
}
