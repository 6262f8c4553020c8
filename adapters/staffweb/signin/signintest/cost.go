// Package signintest makes signing in cheap for tests.
package signintest

import "frontdesk/adapters/staffweb/signin"

// Cheap is the least that argon2id takes: hashes of it protect nothing.
var Cheap = signin.Cost{Memory: 8, Passes: 1}
