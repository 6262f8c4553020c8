// Package embedded runs a private PostgreSQL for the sandbox and the tests,
// from the binaries that the machine has.
//
//	Dir/postgres.lock   held while a Server of this process owns the cluster
//	Dir/postgres        the cluster's data, with postgres.log
//	<tmp>/frontdesk-…   the socket: the only way in
//
// Data that the user who runs Postgres could not reach in Dir (root starts it as
// another user) live elsewhere, and Dir/postgres is a link to them.
//
// The postmaster is nobody's child. It is started through pg_ctl, in a session
// of its own, so neither Ctrl-C in the terminal nor a kill -9 of its starter
// takes it down; the next [Start] adopts it, or clears away what it left. For
// the same reason a server that was started and one that was adopted are
// watched and stopped alike: by process id.
package embedded
