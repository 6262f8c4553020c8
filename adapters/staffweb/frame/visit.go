package frame

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gorilla/mux"

	"frontdesk/adapters/fair"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Visit is one request for a page: who asks for what, at which practice.
type Visit struct {
	R        *http.Request
	ID       string               // made here, one for each request
	Source   string               // where the browser is
	Tenant   string               // the practice as the address names it; there need not be one
	Practice projections.Signpost // zero unless somebody is signed in
	Session  signin.Session
	SignedIn bool
	Display  projections.Display // zero unless the page is for a screen alone
	Form     url.Values          // the body of a POST, the query of any other request
	Ask      Ask

	there    context.Context     // ends when the browser goes away
	w        http.ResponseWriter // of its headers; the rest of the answer is written after the visit
	seat     *fair.Seat          // nil for none
	ofScreen bool                // nobody is there to load the page again
	status   int
	body     bytes.Buffer
	write    func(http.ResponseWriter) // in place of the body; nil for none
	since    int64                     // idx up to which a live page has been read
}

// Sit gives back the seat that the visit has, and takes one among those who ask the
// database.
func (s *Site) Sit(v *Visit) error { return v.sit(s.seats.pages) }

func (v *Visit) sit(among *fair.Shares) error {
	v.Leave()
	v.seat = among.Seat(v.Source)
	if !v.seat.Take() {
		return ErrBusy
	}
	return nil
}

// Leave gives back the seat that the visit has, if it has one.
func (v *Visit) Leave() { v.seat.Release() }

// enter finds out what every page needs to know: what an application has asked for,
// who is signed in, and at which practice. A form may have so many bytes.
func (s *Site) enter(v *Visit, most int) error {
	v.Tenant = strings.Clone(v.Var("tenant")) // counts that hold it must not hold the whole request line
	if err := s.readForm(v, most); err != nil {
		return err
	}
	return s.recognise(v)
}

// recognise finds out who is signed in, and at which practice. A browser that shows no
// session is told nothing of the practice, not even that there is one, and the database is
// not asked.
func (s *Site) recognise(v *Visit) (err error) {
	token := v.Shown(s.SessionCookie(v, ""))
	if token == "" {
		return nil
	}
	if err := s.Sit(v); err != nil {
		return err
	}
	session := s.Door.Sessions.Of
	if v.byItself() {
		session = s.Door.Sessions.Still
	}
	if v.Session, v.SignedIn, err = session(v.Context(), v.Tenant, token); err != nil || !v.SignedIn {
		return err
	}
	v.Practice, err = s.Signposts.Of(v.Context(), v.Tenant)
	return err
}

// byItself reports whether the browser asks by itself: for what a live page is told, for a
// part of it, or for the page once more. Then nobody need be there, and the session's idle
// time goes on (D87).
func (v *Visit) byItself() bool {
	return v.R.Method == http.MethodGet && (v.Form.Has("topics") || v.Form.Has("fragment") || v.Form.Has("again"))
}

// again is the address from which a live page is loaded again without a script.
func (v *Visit) again() string {
	query := v.R.URL.Query()
	query.Set("again", "")
	return v.R.URL.Path + "?" + query.Encode()
}

// WhileThere ends when the browser goes away, and not with the page's time limit. It is
// for what [Visit.Write] writes.
func (v *Visit) WhileThere() context.Context { return v.there }

// Context ends with the page's time limit.
func (v *Visit) Context() context.Context { return v.R.Context() }

// AsStaff is the visit's context. It makes the member of staff the actor of every
// event that the visit causes.
func (v *Visit) AsStaff() context.Context {
	return event.WithMetadata(v.Context(), event.Metadata{
		Actor: event.Staff(v.Session.Staff.UUID), RequestID: v.ID,
	})
}

// AsStranger is the visit's context if nobody is signed in who does what it causes.
func (v *Visit) AsStranger() context.Context {
	return event.WithMetadata(v.Context(), event.Metadata{RequestID: v.ID})
}

// by is the opaque id of the member of staff, or of the display; "" for anybody else.
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

// Token is what a form carries that is sent for the purpose.
func (v *Visit) Token(purpose string) string { return v.Session.FormToken(purpose) }

// Owns reports whether the form that was sent carries the session's token for
// the purpose.
func (v *Visit) Owns(purpose string) bool {
	return v.SignedIn && v.Session.Owns(v.Form.Get("token"), purpose)
}

// Once names what a form makes by what the form carries, so that it is made once however
// often the form is sent, and by whom, so that nobody sends it in another's place.
func (v *Visit) Once(carried string) string { return v.Session.Staff.String() + " " + carried }

// Header is the header of the answer.
func (v *Visit) Header() http.Header { return v.w.Header() }

// GoTo sends the browser on, to a path of ours or to a callback that was found
// registered. The address is sent exactly as it is written.
func (v *Visit) GoTo(address string) error {
	v.Header().Set("Location", address)
	v.status = http.StatusSeeOther
	return nil
}

// SignInFirst sends a browser without a session to the sign-in page, whatever it was
// sent with: a stranger learns nothing about applications and practices (D25).
func (v *Visit) SignInFirst() error { return v.GoTo(v.Base() + "/sign-in" + v.Ask.Query()) }

// Answer makes the content the answer of the visit.
func (v *Visit) Answer(mediaType string, content []byte) {
	v.body.Reset()
	v.body.Write(content)
	v.sized(mediaType)
}

func (v *Visit) sized(mediaType string) {
	v.Header().Set("Content-Type", mediaType)
	v.Header().Set("Content-Length", strconv.Itoa(v.body.Len()))
}

// Follow notes up to which idx of the log a live page shows it. It is called before anything
// else is read, so that nothing is missed in between.
func (s *Site) Follow(v *Visit) (err error) {
	v.since, err = s.Head(v.Context())
	return err
}

// Write has the answer written by a function once the visit has given back its seat,
// without the page's time limit. It is for files and streams. Whoever writes sees to the
// limits and to the end; [Visit.WhileThere] ends when the browser goes away.
func (v *Visit) Write(answer func(http.ResponseWriter)) { v.write = answer }
