// Package page is the page of `frontdesk dev`, for one person at this machine. It also serves
// the application's key set.
//
// Only the address that dev prints gives access: it holds a key, which becomes a cookie.
// Other pages in the same browser can read nothing and press nothing. Requests must be for an
// address that is served (no name that resolves to it), forms must come from the page itself
// with its token, and only its own script runs there.
//
// The page is complete without a script. With one, it follows events.
package page
