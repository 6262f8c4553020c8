// Package bearertest plays the integrators in tests. [Application] makes tokens, which
// are valid or, after edits, invalid. [Server] serves its keys, counts the fetches, and
// can be set to fail.
//
//	app := bearertest.NewApplication(id)
//	keys := bearertest.NewServer(app.JWKS())
//	token := app.Token(now)                                    // application-restricted
//	token = app.Token(now, bearertest.As("ann"))               // user-restricted
//	token = app.Token(now, bearertest.Claim("exp", "tomorrow")) // wrong
package bearertest
