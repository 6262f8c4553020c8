package pagekit

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gorilla/mux"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Visit is one request for a page: the visitor, the page and the practice.
type Visit struct {
	R        *http.Request
	ID       string               // made here, one for each request
	Source   string               // the client's address or network
	Tenant   string               // the practice in the address; it may not exist
	Practice projections.Signpost // zero without a session
	Session  signin.Session
	SignedIn bool
	Display  projections.Display // zero unless the page is for a screen
	Form     url.Values          // the body of a POST, the query of any other request
	Ask      Ask

	there    context.Context     // ends when the browser disconnects
	w        http.ResponseWriter // of its headers; the rest of the answer is written after the visit
	seat     *admission.Permit   // nil for none
	ofScreen bool                // unattended: no user can reload the page
	status   int
	body     bytes.Buffer
	write    func(http.ResponseWriter) // in place of the body; nil for none
	since    int64                     // idx up to which a live page has read
}

// Sit releases the visit's permit, and takes one for querying the database.
func (s *Site) Sit(v *Visit) error { return v.sit(s.seats.pages) }

func (v *Visit) sit(among *admission.FairSemaphore) error {
	v.Leave()
	v.seat = among.Permit(v.Source)
	if !v.seat.Take() {
		return ErrBusy
	}
	return nil
}

// Leave releases the visit's permit, if it has one.
func (v *Visit) Leave() { v.seat.Release() }

// enter reads the context of every page: the application's request, the session and the
// practice. A form may have up to most bytes.
func (s *Site) enter(v *Visit, most int) error {
	v.Tenant = strings.Clone(v.Var("tenant")) // counters keep it, and must not keep the whole request line
	if err := s.readForm(v, most); err != nil {
		return err
	}
	return s.recognise(v)
}

// recognise finds the session and its practice. A browser without a session learns
// nothing about the practice, not even whether it exists, and causes no query.
func (s *Site) recognise(v *Visit) (err error) {
	token := v.Shown(s.SessionCookie(v, ""))
	if token == "" {
		return nil
	}
	if err := s.Sit(v); err != nil {
		return err
	}
	session := s.Door.Sessions.Of
	if v.isAutomatic() {
		session = s.Door.Sessions.Still
	}
	if v.Session, v.SignedIn, err = session(v.Context(), v.Tenant, token); err != nil || !v.SignedIn {
		return err
	}
	v.Practice, err = s.Signposts.Of(v.Context(), v.Tenant)
	return err
}

// isAutomatic reports whether the browser sends the request without a user action: for a
// stream, for part of a live page, or to reload it. Then the user may be absent, and
// the session's idle time continues (D87).
func (v *Visit) isAutomatic() bool {
	return v.R.Method == http.MethodGet && (v.Form.Has("topics") || v.Form.Has("fragment") || v.Form.Has("again"))
}

// again is the address to reload a live page without a script.
func (v *Visit) again() string {
	query := v.R.URL.Query()
	query.Set("again", "")
	return v.R.URL.Path + "?" + query.Encode()
}

// WhileThere ends when the browser disconnects, and not with the page's time limit. It
// is for [Visit.Write].
func (v *Visit) WhileThere() context.Context { return v.there }

// Context ends with the page's time limit.
func (v *Visit) Context() context.Context { return v.R.Context() }

// AsStaff returns the visit's context with the member of staff as the actor of its
// events.
func (v *Visit) AsStaff() context.Context {
	return event.WithMetadata(v.Context(), event.Metadata{
		Actor: event.Staff(v.Session.Staff.UUID), RequestID: v.ID,
	})
}

// AsStranger returns the visit's context for events without a member of staff.
func (v *Visit) AsStranger() context.Context {
	return event.WithMetadata(v.Context(), event.Metadata{RequestID: v.ID})
}

// by is the opaque id of the member of staff, or of the display; otherwise "".
func (v *Visit) by() string {
	switch {
	case v.SignedIn:
		return v.Session.Staff.String()
	case v.Display.Name != "":
		return v.Display.Display.String()
	}
	return ""
}

// Var is a variable of the route's path, such as the 7 of {n}.
func (v *Visit) Var(name string) string { return mux.Vars(v.R)[name] }

// Base is the path of the practice's pages.
func (v *Visit) Base() string { return "/" + v.Tenant + "/staff" }

// Token is the form token for the purpose.
func (v *Visit) Token(purpose string) string { return v.Session.FormToken(purpose) }

// Owns reports whether the submitted form has the session's token for the purpose.
func (v *Visit) Owns(purpose string) bool {
	return v.SignedIn && v.Session.Owns(v.Form.Get("token"), purpose)
}

// Once combines the form's own key with the member of staff. So a form takes effect
// once however often it is sent, and no one can use another's key.
func (v *Visit) Once(carried string) string { return v.Session.Staff.String() + " " + carried }

// Header is the header of the answer.
func (v *Visit) Header() http.Header { return v.w.Header() }

// GoTo redirects to a path of ours or to a registered callback. The address is sent
// exactly as written.
func (v *Visit) GoTo(address string) error {
	v.Header().Set("Location", address)
	v.status = http.StatusSeeOther
	return nil
}

// SignInFirst redirects a browser without a session to the sign-in page, whatever its
// request: a stranger learns nothing about applications and practices (D25).
func (v *Visit) SignInFirst() error { return v.GoTo(v.Base() + "/sign-in" + v.Ask.Query()) }

// Answer sets the content of the answer.
func (v *Visit) Answer(mediaType string, content []byte) {
	v.body.Reset()
	v.body.Write(content)
	v.sized(mediaType)
}

func (v *Visit) sized(mediaType string) {
	v.Header().Set("Content-Type", mediaType)
	v.Header().Set("Content-Length", strconv.Itoa(v.body.Len()))
}

// Follow notes the idx of the log that a live page shows. Call it before any other
// read, so that no change is missed.
func (s *Site) Follow(v *Visit) (err error) {
	v.since, err = s.Head(v.Context())
	return err
}

// Write has the answer written by a function after the visit has released its permit,
// without the page's time limit. It is for files and streams. The function sets its own
// limits; [Visit.WhileThere] ends when the browser disconnects.
func (v *Visit) Write(answer func(http.ResponseWriter)) { v.write = answer }

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

// Ask is the request of an application that redirected the browser, exactly as written.
type Ask struct {
	App, Redirect string
	Made          bool // there is a request, valid or not
}

// askOf reads the request from a page's parameters. A duplicate parameter counts as
// missing, because it is unknown which of the two is meant.
func askOf(values url.Values, page string) Ask {
	one := func(name string) string {
		if len(values[name]) == 1 {
			return values[name][0]
		}
		return ""
	}
	return Ask{one("app"), one("redirect"), page == "authorise" || values.Has("app") || values.Has("redirect")}
}

// Query carries the request from one page to the next.
func (a Ask) Query() string {
	if !a.Made {
		return ""
	}
	return "?" + url.Values{"app": {a.App}, "redirect": {a.Redirect}}.Encode()
}

// Purpose is the purpose of a form for this request.
func (a Ask) Purpose() string { return "authorise\x00" + a.App + "\x00" + a.Redirect }
