package application

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/domain/fault"
)

// ErrUnknownCallback refuses a callback that is not registered. The browser is then not
// redirected.
var ErrUnknownCallback = fault.New(fault.Invalid, "unknown-callback",
	"The callback is not one that is registered for the application.")

// Redirect is the redirect of a browser once a member of staff has decided: a callback
// that was found registered. It keeps the original text, because parsing and formatting
// could change it (D26).
type Redirect struct {
	url   *url.URL
	base  string   // everything before the query
	query []string // the parameters, in their original form
}

// FindRedirect finds a callback among those registered. Its scheme, authority and
// path must be exact, its query is free, and an http callback on loopback may
// have any port (RFC 8252, section 7.3).
func FindRedirect(registered []string, callback string) (Redirect, error) {
	parsed, err := url.Parse(callback)
	if err != nil || CheckCallback(callback) != nil {
		return Redirect{}, ErrUnknownCallback
	}
	base, query, _ := strings.Cut(callback, "?")
	found := slices.ContainsFunc(registered, func(r string) bool {
		r, _, _ = strings.Cut(r, "?")
		return portless(r) == portless(base)
	})
	if !found {
		return Redirect{}, ErrUnknownCallback
	}
	redirect := Redirect{url: parsed, base: base}
	if query != "" {
		redirect.query = strings.Split(query, "&")
	}
	return redirect, nil
}

// portless is an http callback on loopback without its port, because applications there
// use any free port. Other callbacks stay unchanged.
func portless(base string) string {
	parsed, err := url.Parse(base)
	if err != nil || !strings.HasPrefix(base, "http://") || !IsLoopback(parsed.Hostname()) {
		return base
	}
	path := strings.TrimPrefix(base, "http://"+parsed.Host)
	return "http://" + parsed.Hostname() + path
}

// Approved is the callback with the username to call as and the instant, in UTC (RFC
// 3339), at which the authorisation ends.
func (r Redirect) Approved(username string, expiresAt time.Time) string {
	return r.with("username="+url.QueryEscape(username),
		"expiresAt="+url.QueryEscape(expiresAt.UTC().Format(time.RFC3339)))
}

// Declined is the callback with an error: nothing was approved.
func (r Redirect) Declined() string { return r.with("error=access_denied") }

// outcome lists the parameters of the decision, in lower case.
var outcome = []string{"username", "expiresat", "error"}

// with adds parameters. It drops those of an outcome that the link already had, so that
// an approval is not mistaken for a refusal, or the reverse. It keeps all others
// unchanged and in order.
func (r Redirect) with(parameters ...string) string {
	kept := slices.DeleteFunc(slices.Clone(r.query), func(p string) bool {
		return slices.ContainsFunc(strings.Split(p, ";"), isOutcome) // some parsers treat ; as &
	})
	return r.base + "?" + strings.Join(append(kept, parameters...), "&")
}

// isOutcome reports whether a parser of a query could read a parameter as one of an
// outcome. Some ignore the case of names, and read error[] or " error" as error.
func isOutcome(parameter string) bool {
	name, _, _ := strings.Cut(parameter, "=")
	if decoded, err := url.QueryUnescape(name); err == nil {
		name = decoded
	}
	name, _, _ = strings.Cut(name, "[")
	return slices.Contains(outcome, strings.ToLower(strings.TrimSpace(name)))
}

// Scheme is the callback's scheme.
func (r Redirect) Scheme() string { return r.url.Scheme }

// Host is the host and port that the browser goes to; "" if the callback opens an
// application on the device by a scheme of its own.
func (r Redirect) Host() string {
	if r.url.Scheme != "https" && r.url.Scheme != "http" {
		return ""
	}
	return r.url.Host
}
