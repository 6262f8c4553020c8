package staffweb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

// apology is a page that says what went wrong and what to do about it.
type apology struct {
	status  int
	Heading string
	Text    string
	Advice  string
}

// Error returns the heading.
func (a *apology) Error() string { return a.Heading }

// apologise answers an error with a page. Errors that staff can do nothing about
// are logged here, once.
func (p *Pages) apologise(v *visit, err error) {
	sorry, ok := errors.AsType[*apology](err)
	refusal, _ := errors.AsType[*fault.Error](err)
	switch {
	case ok:
	case errors.Is(v.ctx().Err(), context.Canceled): // the browser has gone away
		sorry = errBusy
	case refusal != nil && refusal.Kind == fault.Unavailable, errors.Is(err, context.DeadlineExceeded):
		p.Log.WarnContext(v.ctx(), "page could not be shown", slog.String("request_id", v.id), slog.Any("error", err))
		sorry = errBusy
	default:
		p.Log.ErrorContext(v.ctx(), "page failed", slog.String("request_id", v.id), slog.Any("error", err))
		sorry = errInternal
	}
	if sorry.status == http.StatusServiceUnavailable {
		v.w.Header().Set("Retry-After", busySeconds)
		v.w.Header().Set("Connection", "close") // whatever has been sent behind it is asked again
	}
	p.show(v, view{name: "sorry", status: sorry.status, title: sorry.Heading, content: sorry})
}

// busySeconds is when to try again, as the value of Retry-After.
const busySeconds = "5"

// askTheSender is the advice about a link that only its application can put right.
const askTheSender = "Go back to the application that sent you here and tell its makers what this page says."

// The apologies.
var (
	errIncomplete = &apology{http.StatusBadRequest, "This link is not complete",
		"The link has to name one application and one address to return to.", askTheSender}
	errUnknownApplication = &apology{http.StatusNotFound, "We do not know this application",
		"The link names an application that is not registered with this service.", askTheSender}
	errNotEnabled = &apology{http.StatusForbidden, "This application is not enabled at your practice",
		"Nobody here can let it act for them until a manager has enabled it.",
		"Ask a manager to enable the application, then try again."}
	errNotForUsers = &apology{http.StatusForbidden, "This application cannot act for staff",
		"It has not been given anything that it may do on behalf of a member of staff.", askTheSender}
	errUnknownCallback = &apology{http.StatusBadRequest, "We do not know where this link leads",
		"The address to return to is not one that is registered for the application. To keep you safe, we have not sent you there.", askTheSender}
	errStale = &apology{http.StatusForbidden, "This page is out of date",
		"Nothing has been changed. You may have signed out, or signed in again, since you opened the page.",
		"Go back to where you came from and try again."}
	errLink = &apology{http.StatusNotFound, "This link cannot be used",
		"It has been used, has ended or is not complete.", "Ask your manager for a new one."}
	errOtherLink = &apology{http.StatusForbidden, "This page is out of date",
		"Nothing has been changed. Another link has been opened in this browser since you opened the page.", "Open your own link again."}
	errNobody = &apology{http.StatusNotFound, "There is nobody like this at the practice",
		"Nothing has been changed.", "Go back to People and look for them there."}
	errForeign = &apology{http.StatusForbidden, "This was sent from another website",
		"Nothing has been changed. Only our own pages can send this.",
		"If you did not expect to see this page, tell your manager which website you were on."}
	errNotYours = &apology{http.StatusForbidden, "You cannot stop this authorisation",
		"It was given by somebody else. They can stop it, and so can a manager.", ""}
	errNoPasskeysHere = &apology{http.StatusBadRequest, "Passkeys cannot be used at this address",
		"A passkey belongs to a name, and this address is not one that can have passkeys.", "Open these pages at the address that your practice uses."}
	errLate = &apology{http.StatusRequestTimeout, "We could not read what your browser sent",
		"It did not arrive in time. Nothing has been changed.", "Go back and try again."}
	errUnreadable = &apology{http.StatusBadRequest, "We could not read what your browser sent",
		"Nothing has been changed.", "Go back and try again."}
	errNotFound = &apology{http.StatusNotFound, "Page not found",
		"There is nothing at this address.", "If you typed the address, check that it is right."}
	errMethod = &apology{http.StatusMethodNotAllowed, "This page is not used in that way",
		"Nothing has been changed.", "Go back and try again."}
	errBusy = &apology{http.StatusServiceUnavailable, "Sorry, the service is busy",
		"We cannot show you this page at the moment. Nothing has been changed.", "Try again in " + busySeconds + " seconds."}
	errInternal = &apology{http.StatusInternalServerError, "Sorry, there is a problem with the service",
		"This is our fault, not yours.", "Try again later."}
)

// listed says what an application may do with these endpoints, in the order of the
// catalogue. An endpoint that the catalogue no longer has is shown by its name, so
// that none is left out.
func listed(endpoints []application.EndpointName) []string {
	var texts []string
	left := slices.Clone(endpoints)
	for _, e := range access.Endpoints() {
		if i := slices.Index(left, e.Name); i >= 0 {
			texts = append(texts, e.Words)
			left = slices.Delete(left, i, i+1)
		}
	}
	for _, name := range left {
		texts = append(texts, "use “"+string(name)+"”")
	}
	return texts
}

// roleNames are the roles as people say them.
var roleNames = map[staff.Role]string{
	staff.Receptionist: "receptionist", staff.Clinician: "clinician", staff.Manager: "manager", staff.PrivacyOfficer: "privacy officer",
}

// namesOf says which roles somebody has.
func namesOf(roles staff.Roles) string {
	if len(roles) == 0 {
		return "no role"
	}
	return joined(roles, "", " and ")
}

// allOf says who has one of some roles.
func allOf(roles []staff.Role) string { return joined(roles, "a ", " or ") }

func joined(roles []staff.Role, article, last string) string {
	text := ""
	for i, role := range roles {
		switch {
		case i > 0 && i == len(roles)-1:
			text += last
		case i > 0:
			text += ", "
		}
		text += article + roleNames[role]
	}
	return text
}

// plain is a name where it cannot be isolated from the text around it, as in a title:
// without characters that are not seen, or that turn the direction of what follows.
func plain(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.Cc, unicode.Bidi_Control) {
			return -1
		}
		return c
	}, name)
}

// clock writes an instant as the clocks of the practice show it.
func clock(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("3:04pm on Monday 2 January")
}

// span writes a duration as people say it, in the largest unit that divides it.
func span(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= unit.size && d%unit.size == 0 {
			return counted(int(d/unit.size), unit.name)
		}
	}
	return counted(int(math.Ceil(d.Seconds())), "second")
}

func counted(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}

// roundUp makes a wait easy to read without ever making it too short.
func roundUp(wait time.Duration) time.Duration {
	unit := time.Second
	if wait > 90*time.Second {
		unit = time.Minute
	}
	return (wait + unit - 1).Truncate(unit)
}

// seconds writes a wait as the value of Retry-After.
func seconds(wait time.Duration) string {
	return strconv.Itoa(int(math.Ceil(wait.Seconds())))
}
