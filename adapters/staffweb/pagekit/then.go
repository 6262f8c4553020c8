package pagekit

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/gorilla/mux"
)

// longestThen limits the address of a page that is kept through a sign-in.
const longestThen = 2000

// rememberPage keeps the page that a browser asks for before it signs in. It forgets parts
// of live pages, which are no pages.
func (r *Request) rememberPage() {
	if r.HTTP.Method != http.MethodGet || r.Form.Has("topics") || r.Form.Has("fragment") {
		return
	}
	address := strings.TrimPrefix(r.HTTP.URL.EscapedPath(), r.Base()+"/")
	query := without(r.HTTP.URL.Query(), "again")
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	if len(address) <= longestThen {
		r.Ask.Then = address
	}
}

// RedirectOnward redirects to the page that the browser first asked for.
func (s *Site) RedirectOnward(r *Request) error {
	if r.Ask.Made {
		return r.Redirect(r.Base() + "/authorise" + r.Ask.Query())
	}
	if address, ok := s.ownPage(r, r.Ask.Then); ok {
		return r.Redirect(address)
	}
	return r.Redirect(r.Base()) // the home page, which depends on their roles
}

// ownPage returns the address of a page of this practice for its staff. Anyone can write
// such an address, so it must be one that a GET of ours serves.
func (s *Site) ownPage(r *Request, then string) (address string, ok bool) {
	at, err := url.Parse(r.Base() + "/" + then)
	if err != nil || then == "" || len(then) > longestThen || path.Clean(at.Path) != at.Path || strings.Contains(at.Path, `\`) {
		return "", false
	}
	route, _, ok := s.routeAt(r, at)
	return at.RequestURI(), ok && route.Methods[http.MethodGet].right != ""
}

// routeAt finds the route of an address of ours, and a request for it.
func (s *Site) routeAt(r *Request, at *url.URL) (route Route, again *http.Request, ok bool) {
	again = r.HTTP.Clone(r.Context())
	again.URL = at
	var match mux.RouteMatch
	if !s.router.Match(again, &match) || match.Route == nil {
		return route, nil, false
	}
	route, ok = s.routes[match.Route.GetName()]
	return route, mux.SetURLVars(again, match.Vars), ok
}
