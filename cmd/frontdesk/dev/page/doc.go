// Package page is the page of `frontdesk dev`, for one person at this machine, and beside
// it the application's key set.
//
// Only whoever has the address that dev prints gets in: it holds a key, which becomes a
// cookie. Other pages in the same browser get nothing and press nothing: requests must be
// for an address that is served (no name that was made to lead here), forms must come from
// the page itself and bring its token, and no script runs there but its own.
//
// The page is whole without a script. With one, it follows what happens.
package page
