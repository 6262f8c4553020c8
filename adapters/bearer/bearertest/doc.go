// Package bearertest plays the integrators in tests. [Application] makes tokens,
// which are right or, after edits, wrong. [Server] serves its keys, counts the
// fetches, and fails if it is told to.
//
//	app := bearertest.NewApplication(id)
//	keys := bearertest.NewServer(app.JWKS())
//	token := app.Token(now)                                    // application-restricted
//	token = app.Token(now, bearertest.As("ann"))               // user-restricted
//	token = app.Token(now, bearertest.Claim("exp", "tomorrow")) // wrong
package bearertest
