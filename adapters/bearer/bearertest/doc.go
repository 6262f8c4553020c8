// Package bearertest plays the integrators of the tests: [Application] mints
// tokens, right ones and, by edits, wrong ones; [Server] serves its keys,
// counts the fetches, and fails when told to.
//
//	app := bearertest.NewApplication(id)
//	keys := bearertest.NewServer(app.JWKS())
//	token := app.Token(now)                                    // application-restricted
//	token = app.Token(now, bearertest.As("ann"))               // user-restricted
//	token = app.Token(now, bearertest.Claim("exp", "tomorrow")) // wrong
package bearertest
