package pagekit

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
)

// Gate shows the pages that ask who is there, in answer to a form. They carry the form
// (D151).
type Gate interface {
	AskSignIn(*Request) error
	AskConfirm(r *Request, then string) error
}

// Carried is a form on a page that asks who is there.
type Carried struct {
	Whose string // the token of the form, which names its member; admits a long form
	Typed string // the form, sealed; "" for none
}

// The notices of a page that shows a form again.
const (
	SignedOutMeanwhile = "You had been signed out. Nothing has been saved; your text is here. Check it, and submit it again."
	nothingSent        = "You had been signed out. Nothing has been saved. If you still want it, do it again."
	ConfirmedMeanwhile = "You have confirmed that it is you. Nothing has been saved yet; your text is here. Submit it again."
)

// WithCarried makes room for a carried form in the POST.
func (m Methods) WithCarried() Methods {
	post := m[http.MethodPost]
	post.extraBytes = carriedBytes
	m[http.MethodPost] = post
	return m
}

// carry seals the request's form for the member in its token, to be shown at the address
// of a page. It reports false if it carries nothing: no page has the form's own address, or
// the form is too long or no member's. An application's request has a way of its own.
func (s *Site) carry(r *Request, page string) bool {
	token := r.Form.Get("token")
	member, ok := s.Typed.owner(r.Tenant, token)
	if !ok || !r.isPage || r.Ask.Made || r.HTTP.Method != http.MethodPost {
		return false
	}
	r.Carried = Carried{token, s.Typed.seal(r.Tenant, member, typedForm{r.HTTP.URL.RequestURI(), page, r.Form, s.Typed.Now().Add(typedLifetime)})}
	return r.Carried.Typed != ""
}

// signInFirst answers a browser without a session. A form of ours is answered with the
// sign-in page that carries it. Anything else is redirected there, whatever it asks for
// (D25), with a word if a form is lost (D143), or with the address of the page (D155).
func (s *Site) signInFirst(r *Request) error {
	_, whose := s.Typed.owner(r.Tenant, r.Form.Get("token"))
	switch {
	case s.carry(r, r.HTTP.URL.RequestURI()):
		return s.Gate.AskSignIn(r)
	case r.HTTP.Method == http.MethodPost && !r.Ask.Made && (whose || r.ended):
		return r.Redirect(r.Base() + "/sign-in?unsaved")
	case !r.Ask.Made:
		r.rememberPage()
	}
	return r.RedirectToSignIn()
}

// ConfirmForm is [Site.ConfirmFirst] for a form with fields: it comes back as it was
// filled.
func (s *Site) ConfirmForm(r *Request, then string) error {
	if !s.carry(r, r.Base()+"/"+then) {
		return s.ConfirmFirst(r, then)
	}
	return s.Gate.AskConfirm(r, then)
}

// ShowCarried shows the page of the carried form to the member of a new session, filled
// in and with a notice. It reports false without a form, and if the form is not theirs.
func (s *Site) ShowCarried(r *Request, session, notice string) (shown bool, err error) {
	if r.Carried.Typed == "" {
		return false, nil
	}
	if err := s.openSession(r, s.Auth.Sessions.Find, session); err != nil || !r.SignedIn {
		return false, err
	}
	form, ok := s.Typed.open(r.Tenant, r.Session.Staff, r.Carried.Typed)
	if !ok {
		return false, nil
	}
	at, err := url.Parse(form.Address)
	if err != nil {
		return false, err
	}
	route, again, ok := s.routeAt(r, at)
	if !ok {
		return false, nil
	}
	r.HTTP, r.Form, r.Carried = again, form.Fields, Carried{}
	r.notice, r.again, r.address = notice, true, form.Page
	return true, route.showAgain(s, r)
}

// showAgain shows the page of a form, filled in. The form is answered as one of another
// session is, so it does nothing. A page without a filled form is shown as it is now.
func (route Route) showAgain(s *Site, r *Request) error {
	err := route.Methods[http.MethodPost].serve(s, r)
	if errors.Is(err, ErrStale) {
		r.notice = nothingSent
		r.Form = url.Values{}
		err = route.Methods[http.MethodGet].serve(s, r)
	}
	return err
}

// Unsent is the status and the fault of a form that is of another session, and whose typed
// values are shown again. After a sign-in, the notice says it.
func (r *Request) Unsent(field string) (int, FormErrors) {
	if r.again {
		r.notice = cmp.Or(r.notice, SignedOutMeanwhile)
		return http.StatusOK, FormErrors{}
	}
	return http.StatusForbidden, FormError(field, signedInAgain)
}

// signedInAgain is the text for a form of a session that has ended, if the typed values
// are kept.
const signedInAgain = "You signed in again after opening this page, so nothing was saved. What you typed is still here. Submit it again."

// errOther answers a form of one member in the session of another. It shows nothing of it.
var errOther = &ErrorPage{http.StatusForbidden, "This page is out of date",
	"Nothing has been changed. A colleague opened the page, and you have signed in to this browser since.",
	"Go back with your browser’s Back button. The text is there until the page is closed."}
