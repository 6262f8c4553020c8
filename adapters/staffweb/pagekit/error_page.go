package pagekit

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

// ErrorPage is an error that is shown as a page, with advice.
type ErrorPage struct {
	Status  int
	Heading string
	Text    string
	Advice  string
}

// NewErrorPage returns an error page. Advice may be "".
func NewErrorPage(status int, heading, text, advice string) *ErrorPage {
	return &ErrorPage{status, heading, text, advice}
}

// NoSuch is the answer to an unknown identifier, with advice where to look.
func NoSuch(what, advice string) *ErrorPage {
	return NewErrorPage(http.StatusNotFound, "We could not find that "+what+"", "Nothing has been changed.", advice)
}

// Error returns the heading.
func (a *ErrorPage) Error() string { return a.Heading }

// showError answers an error with a page. Errors that staff cannot fix are logged here,
// once.
func (s *Site) showError(r *Request, err error) {
	sorry, ok := errors.AsType[*ErrorPage](err)
	refusal, _ := errors.AsType[*fault.Error](err)
	switch {
	case ok:
	case errors.Is(r.Context().Err(), context.Canceled): // the browser has disconnected
		sorry = ErrBusy
	case refusal != nil && refusal.Kind == fault.Unavailable, errors.Is(err, context.DeadlineExceeded):
		s.Log.WarnContext(r.Context(), "page could not be shown", slog.String("request_id", r.ID), slog.Any("error", err))
		sorry = ErrBusy
	default:
		s.Log.ErrorContext(r.Context(), "page failed", slog.String("request_id", r.ID), slog.Any("error", err))
		sorry = ErrInternal
	}
	if sorry.Status == http.StatusServiceUnavailable {
		r.Header().Set("Retry-After", busySeconds)
		r.Header().Set("Connection", "close") // requests sent behind it on the connection are retried
	}
	if r.unattended {
		r.Header().Set("Refresh", screenSeconds)
	}
	s.Show(r, View{Template: errorTemplate, Status: sorry.Status, Title: sorry.Heading, Content: sorry})
}

// busySeconds is the Retry-After of a busy page.
const busySeconds = "5"

// screenSeconds is the Retry-After for an unattended screen.
const screenSeconds = "30"

// Errors of any page.
var (
	ErrStale = &ErrorPage{http.StatusForbidden, "This page is out of date",
		"Nothing has been changed. You may have signed out, or signed in again, since you opened the page.",
		"Go back to where you came from and try again."}
	ErrForeign = &ErrorPage{http.StatusForbidden, "This form was submitted from another website",
		"Nothing has been changed. Only our own pages can send this.",
		"If you did not expect this, tell your practice manager which website you were using."}
	ErrLate = &ErrorPage{http.StatusRequestTimeout, "We could not read what your browser sent",
		"Your form took too long to reach us. Nothing has changed.", "Go back and try again."}
	ErrUnreadable = &ErrorPage{http.StatusBadRequest, "We could not read what your browser sent",
		"Nothing has been changed.", "Go back and try again."}
	ErrTooLong = &ErrorPage{http.StatusRequestEntityTooLarge, "What you typed is too long",
		"We could not take it, and nothing has been saved.",
		"Go back with your browser’s Back button. Shorten the text, or save it in parts. No page takes a text of more than " + Counted(request.MaxText, "character") + "."}
	ErrNotFound = &ErrorPage{http.StatusNotFound, "Page not found",
		"There is nothing at this address.", "If you typed the address, check that it is right."}
	ErrMethod = &ErrorPage{http.StatusMethodNotAllowed, "This page could not process your request",
		"Nothing has been changed.", "Go back and try again."}
	ErrBusy = &ErrorPage{http.StatusServiceUnavailable, "Sorry, the service is busy",
		"We cannot show you this page at the moment. Nothing has been changed.", "Try again in " + busySeconds + " seconds."}
	ErrInternal = &ErrorPage{http.StatusInternalServerError, "Sorry, there is a problem with the service",
		"This is our fault, not yours.", "Try again later."}
)
