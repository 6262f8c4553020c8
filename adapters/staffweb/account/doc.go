// Package account serves the pages on which members of staff sign in and manage their own
// account (§4.4). The package signin authenticates them.
//
//	sign-in, sign-out, sign-in/passkey
//	sign-in/second     the passkey after the password
//	challenge          a challenge for a passkey, for the script
//	confirm            reauthentication, before another page continues
//	link/{secret}      → link: the holder of a link chooses a password, once
//	account            the member's name, roles and sessions
//	account/password, account/passkeys, account/sessions
//	account/reset      stops a requested reset
//	account/record     sign-ins, openings and lists of the member, from the logs
//	account/shortcuts  switches keyboard shortcuts on or off, in this browser
//
// The sign-in page is the same for every practice and account, whether they exist or not
// (D25).
package account
