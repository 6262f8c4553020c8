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

// Request is one request for a page, with its session, practice and form, and the answer.
type Request struct {
	HTTP     *http.Request
	ID       string               // made here, one for each request
	Source   string               // the client's address or network
	Tenant   string               // the practice in the address; it may not exist
	Practice projections.Practice // zero without a session
	Session  signin.Session
	SignedIn bool
	Display  projections.Display // zero unless the page is for a screen
	Form     url.Values          // the body of a POST, the query of any other request
	Ask      Ask
	Carried  Carried // of a page that asks who is there

	connection context.Context     // ends when the browser disconnects
	w          http.ResponseWriter // for headers; the rest of the answer is written after the page is made
	permit     *admission.Permit   // nil for none
	unattended bool                // unattended: no user can reload the page
	status     int
	body       bytes.Buffer
	write      func(http.ResponseWriter) // in place of the body; nil for none
	head       int64                     // idx up to which a live page has read
	ended      bool                      // the browser has a token, but its session has ended
	public     bool                      // the page needs no session
	isPage     bool                      // the address is also that of a page
	again      bool                      // the form was carried, and does nothing
	address    string                    // of the page, if it is not the request's; "" if it is
	notice     string                    // above the content; "" for none
	keyless    bool                      // the member can only add a passkey
	looked     bool                      // the access record has a line of this page
	quiet      bool                      // a script asks each minute: logged at debug only
}

// Acquire releases the request's permit, and takes one for querying the database.
func (s *Site) Acquire(r *Request) error { return r.acquire(s.permits.pages) }

func (r *Request) acquire(permits *admission.FairSemaphore) error {
	r.Release()
	r.permit = permits.Permit(r.Source)
	if !r.permit.Take() {
		return ErrBusy
	}
	return nil
}

// Release releases the request's permit, if it has one.
func (r *Request) Release() { r.permit.Release() }

// prepare reads the context of every page: the application's request, the session and the
// practice. A form may have up to most bytes.
func (s *Site) prepare(r *Request, most int) error {
	r.Tenant = strings.Clone(r.PathValue("tenant")) // counters keep it, and must not keep the whole request line
	if err := s.readForm(r, most); err != nil {
		return err
	}
	return s.findSession(r)
}

// findSession finds the session and its practice. A browser without a session learns
// nothing about the practice, not even whether it exists, and causes no query.
func (s *Site) findSession(r *Request) (err error) {
	token := r.CookieValue(s.SessionCookie(r, ""))
	if token == "" {
		return nil
	}
	find := s.Auth.Sessions.Find
	if r.isAutomatic() {
		find = s.Auth.Sessions.Peek
	}
	err = s.openSession(r, find, token)
	r.ended = err == nil && !r.SignedIn
	return err
}

// openSession finds the session of a token and its practice.
func (s *Site) openSession(r *Request, find func(context.Context, string, string) (signin.Session, bool, error), token string) (err error) {
	if err := s.Acquire(r); err != nil {
		return err
	}
	if r.Session, r.SignedIn, err = find(r.Context(), r.Tenant, token); err != nil || !r.SignedIn {
		return err
	}
	r.Session.Mark = s.Typed.mark(r.Tenant, r.Session.Staff)
	r.keyless = s.Keyless(r.Session)
	r.Practice, err = s.Practices.Find(r.Context(), r.Tenant)
	return err
}

// isAutomatic reports whether the browser sends the request without a user action: for a
// stream, for part of a live page, or to reload it. Then the user may be absent, and
// the session's idle time continues (D87).
func (r *Request) isAutomatic() bool {
	return r.HTTP.Method == http.MethodGet && (r.Form.Has("topics") || r.Form.Has("fragment") || r.Form.Has("again"))
}

// reloadAddress is the address to reload a live page without a script.
func (r *Request) reloadAddress() string {
	query := r.HTTP.URL.Query()
	query.Set("again", "")
	return r.HTTP.URL.Path + "?" + query.Encode()
}

// ConnectionContext ends when the browser disconnects, and not with the page's time limit.
// It is for [Request.Write].
func (r *Request) ConnectionContext() context.Context { return r.connection }

// Context ends with the page's time limit.
func (r *Request) Context() context.Context { return r.HTTP.Context() }

// StaffContext returns the request's context with the member of staff as the actor of its
// events.
func (r *Request) StaffContext() context.Context {
	return event.WithMetadata(r.Context(), event.Metadata{
		Actor: event.Staff(r.Session.Staff.UUID), RequestID: r.ID,
	})
}

// AnonymousContext returns the request's context for events without a member of staff.
func (r *Request) AnonymousContext() context.Context {
	return event.WithMetadata(r.Context(), event.Metadata{RequestID: r.ID})
}

// actorID is the opaque id of the member of staff, or of the display; otherwise "".
func (r *Request) actorID() string {
	switch {
	case r.SignedIn:
		return r.Session.Staff.String()
	case r.Display.Name != "":
		return r.Display.Display.String()
	}
	return ""
}

// PathValue is a variable of the route's path, such as the 7 of {n}.
func (r *Request) PathValue(name string) string { return mux.Vars(r.HTTP)[name] }

// Base is the path of the practice's pages.
func (r *Request) Base() string { return "/" + r.Tenant + "/staff" }

// Token is the form token for the purpose.
func (r *Request) Token(purpose string) string { return r.Session.FormToken(purpose) }

// HasToken reports whether the submitted form has the session's token for the purpose.
func (r *Request) HasToken(purpose string) bool {
	return r.SignedIn && !r.again && r.Session.Owns(r.Form.Get("token"), purpose)
}

// OnceKey combines the form's own key with the member of staff. So a form takes effect
// once however often it is sent, and no one can use another's key.
func (r *Request) OnceKey(carried string) string { return r.Session.Staff.String() + " " + carried }

// Header is the header of the answer.
func (r *Request) Header() http.Header { return r.w.Header() }

// Redirect redirects to a path of ours or to a registered callback. The address is sent
// exactly as written.
func (r *Request) Redirect(address string) error {
	r.Header().Set("Location", address)
	r.status = http.StatusSeeOther
	return nil
}

// RedirectToSignIn redirects a browser without a session to the sign-in page, for pages that
// exist and others, so that it learns nothing about applications and practices (D25).
func (r *Request) RedirectToSignIn() error { return r.Redirect(r.Base() + "/sign-in" + r.Ask.Query()) }

// Respond sets the content of the answer.
func (r *Request) Respond(mediaType string, content []byte) {
	r.body.Reset()
	r.body.Write(content)
	r.setHeaders(mediaType)
}

func (r *Request) setHeaders(mediaType string) {
	r.Header().Set("Content-Type", mediaType)
	r.Header().Set("Content-Length", strconv.Itoa(r.body.Len()))
}

// NoteHead notes the idx of the log that a live page shows. Call it before any other
// read, so that no change is missed.
func (s *Site) NoteHead(r *Request) (err error) {
	r.head, err = s.Head(r.Context())
	return err
}

// Head is the idx of [Site.NoteHead].
func (r *Request) Head() int64 { return r.head }

// Write has the answer written by a function after the permit is released, without the
// page's time limit. It is for files and streams. The function sets its own
// limits; [Request.ConnectionContext] ends when the browser disconnects.
func (r *Request) Write(answer func(http.ResponseWriter)) { r.write = answer }

// Cookie is a cookie of one practice. The practice is part of its name, so that one
// browser can be signed in at two. An empty value removes the cookie.
func (s *Site) Cookie(r *Request, kind, value string) *http.Cookie {
	c := &http.Cookie{
		Name: kind + r.Tenant, Value: value, Path: r.Base(),
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
func (s *Site) SessionCookie(r *Request, token string) *http.Cookie {
	return s.Cookie(r, "frontdesk-", token)
}

// DeviceCookie holds the token by which the sign-in page recognises the browser. It
// outlives sessions. No practice's name has a dot, so it cannot collide with a session's
// cookie.
func (s *Site) DeviceCookie(r *Request, token string) *http.Cookie {
	c := s.Cookie(r, "frontdesk.device-", token)
	c.SameSite, c.MaxAge = http.SameSiteStrictMode, int(signin.DeviceLifetime.Seconds())
	return c
}

// StepCookie holds the step between the password and the passkey.
func (s *Site) StepCookie(r *Request, token string) *http.Cookie {
	c := s.Cookie(r, "frontdesk.step-", token)
	c.SameSite = http.SameSiteStrictMode
	return c
}

// ChallengeCookie holds the browser's part of a challenge for a passkey.
func (s *Site) ChallengeCookie(r *Request, kept string) *http.Cookie {
	c := s.Cookie(r, "frontdesk.challenge-", kept)
	c.SameSite = http.SameSiteStrictMode
	return c
}

// CookieValue returns the cookie's value in the request; "" without the cookie.
func (r *Request) CookieValue(cookie *http.Cookie) string {
	c, err := r.HTTP.Cookie(cookie.Name)
	if err != nil {
		return ""
	}
	return c.Value
}

// SetCookie sets a cookie in the browser.
func (r *Request) SetCookie(cookie *http.Cookie) { http.SetCookie(r.w, cookie) }

// Ask is the request of an application that redirected the browser, exactly as written.
type Ask struct {
	App, Redirect string
	Made          bool   // there is a request, valid or not
	Then          string // without one, the page that the browser asked for before it signed in; "" for none
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
	ask := Ask{App: one("app"), Redirect: one("redirect"), Made: page == "authorise" || values.Has("app") || values.Has("redirect")}
	if signsIn := page == "sign-in" || page == "passkey" || page == "second"; signsIn && !ask.Made {
		ask.Then = one("then")
	}
	return ask
}

// Query carries the request from one page to the next.
func (a Ask) Query() string {
	switch {
	case a.Then != "":
		return "?" + url.Values{"then": {a.Then}}.Encode()
	case !a.Made:
		return ""
	}
	return "?" + url.Values{"app": {a.App}, "redirect": {a.Redirect}}.Encode()
}

// Purpose is the purpose of a form for this request.
func (a Ask) Purpose() string { return "authorise\x00" + a.App + "\x00" + a.Redirect }
