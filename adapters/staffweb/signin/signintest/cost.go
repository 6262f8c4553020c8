// Package signintest makes hashing cheap for tests.
package signintest

import "frontdesk/adapters/staffweb/signin"

// Cheap is the minimum of argon2id: its hashes protect nothing.
var Cheap = signin.Cost{Memory: 8, Passes: 1}
