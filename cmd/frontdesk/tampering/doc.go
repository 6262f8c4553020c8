// Package tampering shows who catches what somebody does who has every right over the
// database, and whom nobody catches. It holds tests alone.
package tampering
