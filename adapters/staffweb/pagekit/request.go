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

// Request is one request for a page: the visitor, the page and the practice.
type Request struct {
	HTTP     *http.Request
	ID       string               // made here, one for each request
	Source   string               // the client's address or network
	Tenant   string               // the practice in the address; it may not exist
	Practice projections.Signpost // zero without a session
	Session  signin.Session
	SignedIn bool
	Display  projections.Display // zero unless the page is for a screen
	Form     url.Values          // the body of a POST, the query of any other request
	Ask      Ask

	connection context.Context     // ends when the browser disconnects
	w          http.ResponseWriter // of its headers; the rest of the answer is written after the visit
	permit     *admission.Permit   // nil for none
	unattended bool                // unattended: no user can reload the page
	status     int
	body       bytes.Buffer
	write      func(http.ResponseWriter) // in place of the body; nil for none
	head       int64                     // idx up to which a live page has read
}

// Acquire releases the visit's permit, and takes one for querying the database.
func (s *Site) Acquire(v *Request) error { return v.acquire(s.permits.pages) }

func (v *Request) acquire(among *admission.FairSemaphore) error {
	v.Release()
	v.permit = among.Permit(v.Source)
	if !v.permit.Take() {
		return ErrBusy
	}
	return nil
}

// Release releases the visit's permit, if it has one.
func (v *Request) Release() { v.permit.Release() }

// prepare reads the context of every page: the application's request, the session and the
// practice. A form may have up to most bytes.
func (s *Site) prepare(v *Request, most int) error {
	v.Tenant = strings.Clone(v.PathValue("tenant")) // counters keep it, and must not keep the whole request line
	if err := s.readForm(v, most); err != nil {
		return err
	}
	return s.findSession(v)
}

// findSession finds the session and its practice. A browser without a session learns
// nothing about the practice, not even whether it exists, and causes no query.
func (s *Site) findSession(v *Request) (err error) {
	token := v.CookieValue(s.SessionCookie(v, ""))
	if token == "" {
		return nil
	}
	if err := s.Acquire(v); err != nil {
		return err
	}
	session := s.Auth.Sessions.Find
	if v.isAutomatic() {
		session = s.Auth.Sessions.Peek
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
func (v *Request) isAutomatic() bool {
	return v.HTTP.Method == http.MethodGet && (v.Form.Has("topics") || v.Form.Has("fragment") || v.Form.Has("again"))
}

// reloadAddress is the address to reload a live page without a script.
func (v *Request) reloadAddress() string {
	query := v.HTTP.URL.Query()
	query.Set("again", "")
	return v.HTTP.URL.Path + "?" + query.Encode()
}

// ConnectionContext ends when the browser disconnects, and not with the page's time limit. It
// is for [Request.Write].
func (v *Request) ConnectionContext() context.Context { return v.connection }

// Context ends with the page's time limit.
func (v *Request) Context() context.Context { return v.HTTP.Context() }

// StaffContext returns the visit's context with the member of staff as the actor of its
// events.
func (v *Request) StaffContext() context.Context {
	return event.WithMetadata(v.Context(), event.Metadata{
		Actor: event.Staff(v.Session.Staff.UUID), RequestID: v.ID,
	})
}

// AnonymousContext returns the visit's context for events without a member of staff.
func (v *Request) AnonymousContext() context.Context {
	return event.WithMetadata(v.Context(), event.Metadata{RequestID: v.ID})
}

// actorID is the opaque id of the member of staff, or of the display; otherwise "".
func (v *Request) actorID() string {
	switch {
	case v.SignedIn:
		return v.Session.Staff.String()
	case v.Display.Name != "":
		return v.Display.Display.String()
	}
	return ""
}

// PathValue is a variable of the route's path, such as the 7 of {n}.
func (v *Request) PathValue(name string) string { return mux.Vars(v.HTTP)[name] }

// Base is the path of the practice's pages.
func (v *Request) Base() string { return "/" + v.Tenant + "/staff" }

// Token is the form token for the purpose.
func (v *Request) Token(purpose string) string { return v.Session.FormToken(purpose) }

// HasToken reports whether the submitted form has the session's token for the purpose.
func (v *Request) HasToken(purpose string) bool {
	return v.SignedIn && v.Session.Owns(v.Form.Get("token"), purpose)
}

// OnceKey combines the form's own key with the member of staff. So a form takes effect
// once however often it is sent, and no one can use another's key.
func (v *Request) OnceKey(carried string) string { return v.Session.Staff.String() + " " + carried }

// Header is the header of the answer.
func (v *Request) Header() http.Header { return v.w.Header() }

// Redirect redirects to a path of ours or to a registered callback. The address is sent
// exactly as written.
func (v *Request) Redirect(address string) error {
	v.Header().Set("Location", address)
	v.status = http.StatusSeeOther
	return nil
}

// RedirectToSignIn redirects a browser without a session to the sign-in page, whatever its
// request: a stranger learns nothing about applications and practices (D25).
func (v *Request) RedirectToSignIn() error { return v.Redirect(v.Base() + "/sign-in" + v.Ask.Query()) }

// Respond sets the content of the answer.
func (v *Request) Respond(mediaType string, content []byte) {
	v.body.Reset()
	v.body.Write(content)
	v.setHeaders(mediaType)
}

func (v *Request) setHeaders(mediaType string) {
	v.Header().Set("Content-Type", mediaType)
	v.Header().Set("Content-Length", strconv.Itoa(v.body.Len()))
}

// NoteHead notes the idx of the log that a live page shows. Call it before any other
// read, so that no change is missed.
func (s *Site) NoteHead(v *Request) (err error) {
	v.head, err = s.Head(v.Context())
	return err
}

// Write has the answer written by a function after the visit has released its permit,
// without the page's time limit. It is for files and streams. The function sets its own
// limits; [Request.ConnectionContext] ends when the browser disconnects.
func (v *Request) Write(answer func(http.ResponseWriter)) { v.write = answer }

// Cookie is a cookie of one practice. The practice is part of its name, so that one
// browser can be signed in at two. An empty value removes the cookie.
func (s *Site) Cookie(v *Request, kind, value string) *http.Cookie {
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
func (s *Site) SessionCookie(v *Request, token string) *http.Cookie {
	return s.Cookie(v, "frontdesk-", token)
}

// CookieValue returns the cookie's value in the request; "" if there is none.
func (v *Request) CookieValue(cookie *http.Cookie) string {
	c, err := v.HTTP.Cookie(cookie.Name)
	if err != nil {
		return ""
	}
	return c.Value
}

// SetCookie sets a cookie in the browser.
func (v *Request) SetCookie(cookie *http.Cookie) { http.SetCookie(v.w, cookie) }

// Ask is the request of an application that redirected the browser, exactly as written.
type Ask struct {
	App, Redirect string
	Made          bool // there is a request, valid or not
}

// parseAsk reads the request from a page's parameters. A duplicate parameter counts as
// missing, because it is unknown which of the two is meant.
func parseAsk(values url.Values, page string) Ask {
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
