package client

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// An AuthorisePage is the service's page on which a member of staff authorises the application (§5.4).
// All fields are required.
type AuthorisePage struct {
	AuthURL     string // the service's {auth_url}, such as https://staff.example
	TenantID    string
	Application string // the application's identifier, a UUID
	Callback    string // a registered address of the application; it may have a query
}

// NewState returns a random state. Keep it in the browser's session until the browser returns.
func NewState() string { return rand.Text() }

// AuthoriseURL is the address to send the user's browser to. The state comes back with the browser.
func (p AuthorisePage) AuthoriseURL(state string) (string, error) {
	page, err := url.Parse(p.AuthURL)
	if err != nil || !isGuarded(page) || page.Host == "" {
		return "", fmt.Errorf("AuthURL %q must be an address such as https://staff.example", p.AuthURL)
	}
	callback, err := url.Parse(p.Callback)
	if err != nil || !callback.IsAbs() || callback.Query().Has("state") {
		return "", fmt.Errorf("Callback %q must be an address without a state", p.Callback)
	}
	if p.TenantID == "" || p.Application == "" || state == "" {
		return "", errors.New("the page needs a TenantID, an Application and a state")
	}
	if callback.RawQuery != "" {
		callback.RawQuery += "&"
	}
	callback.RawQuery += url.Values{"state": {state}}.Encode()
	query := url.Values{"app": {p.Application}, "redirect": {callback.String()}}
	return strings.TrimSuffix(p.AuthURL, "/") + "/" + url.PathEscape(p.TenantID) + "/staff/authorise?" + query.Encode(), nil
}

// An Authorised is a member of staff who has authorised the application. It does not prove who uses the
// browser: do not sign anyone in by it.
type Authorised struct {
	Username  string    // for [Client.AsUser]
	ExpiresAt time.Time // then the service refuses calls, and the user has to authorise again
}

// The refusals of a return.
var (
	ErrWrongState      = errors.New("the state is not that of this browser's session")
	ErrDeclined        = errors.New("the user has declined")
	ErrMalformedReturn = errors.New("the address has no username and expiresAt")
)

// ParseReturn reads the address with which the browser returns to the callback. The state is the one that
// the browser's session has kept.
func (p AuthorisePage) ParseReturn(address, state string) (Authorised, error) {
	returned, err := url.Parse(address)
	if err != nil {
		return Authorised{}, ErrMalformedReturn
	}
	query, err := url.ParseQuery(returned.RawQuery)
	if err != nil {
		return Authorised{}, ErrMalformedReturn
	}
	if state == "" || subtle.ConstantTimeCompare([]byte(only(query["state"])), []byte(state)) != 1 {
		return Authorised{}, ErrWrongState
	}
	if query.Has("error") {
		return Authorised{}, ErrDeclined
	}
	username := only(query["username"])
	expires, err := time.Parse(time.RFC3339, only(query["expiresAt"]))
	if err != nil || username == "" {
		return Authorised{}, ErrMalformedReturn
	}
	return Authorised{username, expires}, nil
}

// only returns the value of a parameter that is given once, and "" otherwise.
func only(values []string) string {
	if len(values) != 1 {
		return ""
	}
	return values[0]
}
