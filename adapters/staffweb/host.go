package staffweb

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"frontdesk/domain/application"
)

// ErrURL is the refusal of an address that browsers could not reach the pages
// at.
var ErrURL = errors.New("the address of the staff pages is https://HOST or, on loopback, http://HOST:PORT, and nothing behind it")

// ParseURL reads the address at which browsers reach the pages.
func ParseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" ||
		u.Scheme != "https" && u.Scheme != "http" {
		return nil, ErrURL
	}
	return u, nil
}

// Serves reports whether a request is for the pages rather than for the API,
// which shares their listener (D36).
func (p *Pages) Serves(r *http.Request) bool {
	host := (&url.URL{Host: r.Host}).Hostname()
	if p.URL != nil {
		return strings.EqualFold(host, p.URL.Hostname())
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	ours := first == "staff" || rest == "staff" || strings.HasPrefix(rest, "staff/")
	return ours && application.IsLoopback(strings.ToLower(host))
}
