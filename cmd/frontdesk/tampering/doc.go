// Package tampering shows which party detects the attacks of someone with every right over
// the database, and which attacks none detects. It holds only tests.
package tampering
