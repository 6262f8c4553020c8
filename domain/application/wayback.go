package application

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"frontdesk/domain/fault"
)

// ErrUnknownCallback is the refusal of a callback that is not registered. The
// browser is then sent nowhere (D25).
var ErrUnknownCallback = fault.New(fault.Invalid, "unknown-callback",
	"The callback is not one that is registered for the application.")

// WayBack is where a browser goes once a member of staff has decided: a
// callback that was found registered, as it was asked for. It keeps the
// callback's text; parsing and writing it again could change it (D26).
type WayBack struct {
	url   *url.URL
	base  string   // all before the query
	query []string // the parameters, as they were written
}

// FindWayBack finds a callback among those registered: its scheme, authority
// and path are exact, its query is free, and an http callback on loopback has
// any port (D25, RFC 8252 §7.3).
func FindWayBack(registered []string, callback string) (WayBack, error) {
	parsed, err := url.Parse(callback)
	if err != nil || CheckCallback(callback) != nil {
		return WayBack{}, ErrUnknownCallback
	}
	base, query, _ := strings.Cut(callback, "?")
	found := slices.ContainsFunc(registered, func(r string) bool {
		r, _, _ = strings.Cut(r, "?")
		return portless(r) == portless(base)
	})
	if !found {
		return WayBack{}, ErrUnknownCallback
	}
	way := WayBack{url: parsed, base: base}
	if query != "" {
		way.query = strings.Split(query, "&")
	}
	return way, nil
}

// portless is a callback without the port, if it is http on loopback, where
// applications take whichever port is free. Others stay as they are.
func portless(base string) string {
	parsed, err := url.Parse(base)
	if err != nil || !strings.HasPrefix(base, "http://") || !IsLoopback(parsed.Hostname()) {
		return base
	}
	path := strings.TrimPrefix(base, "http://"+parsed.Host)
	return "http://" + parsed.Hostname() + path
}

// Approved is the callback with the username to call as and the instant at
// which the authorisation ends (§5.4).
func (w WayBack) Approved(username string, expiresAt time.Time) string {
	return w.with("username="+url.QueryEscape(username),
		"expiresAt="+url.QueryEscape(expiresAt.UTC().Format(time.RFC3339)))
}

// Declined is the callback with the news that nothing was approved. A username
// that somebody else put there is taken away, so that it is not mistaken for
// an approval.
func (w WayBack) Declined() string { return w.with("error=access_denied") }

// with sets parameters: those of these names and those of an approval go,
// others stay as they are, in order (D26).
func (w WayBack) with(parameters ...string) string {
	replaced := []string{"username", "expiresAt"}
	for _, p := range parameters {
		replaced = append(replaced, nameOf(p))
	}
	kept := slices.DeleteFunc(slices.Clone(w.query), func(p string) bool {
		return slices.Contains(replaced, nameOf(p))
	})
	return w.base + "?" + strings.Join(append(kept, parameters...), "&")
}

// nameOf is the name of a query parameter, as its reader will see it.
func nameOf(parameter string) string {
	name, _, _ := strings.Cut(parameter, "=")
	if decoded, err := url.QueryUnescape(name); err == nil {
		return decoded
	}
	return name
}

// Scheme is the callback's scheme.
func (w WayBack) Scheme() string { return w.url.Scheme }

// Host is the host and port that the browser goes to; "" when it opens an
// application by that application's own scheme.
func (w WayBack) Host() string {
	if w.opensApplication() {
		return ""
	}
	return w.url.Host
}

func (w WayBack) opensApplication() bool { return w.url.Scheme != "https" && w.url.Scheme != "http" }

// hostSource is what a Content-Security-Policy can name as a host; an IPv6
// address, among others, is not.
var hostSource = regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]+)?$`)

// FormSource is the callback as a source of a Content-Security-Policy: its
// origin or, where a policy cannot say that, its scheme (D27).
func (w WayBack) FormSource() string {
	if host := w.Host(); hostSource.MatchString(host) {
		return w.url.Scheme + "://" + host
	}
	return w.url.Scheme + ":"
}
