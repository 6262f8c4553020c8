// Package embedded runs a private PostgreSQL for the sandbox and the tests, with the
// machine's binaries.
//
//	Dir/postgres.lock   held while a Server of this process owns the cluster
//	Dir/postgres        the cluster's data, with postgres.log
//	<tmp>/frontdesk-…   the socket: the only way in
//
// Root starts Postgres as another user. If that user could not reach the data in Dir,
// the data lives elsewhere and Dir/postgres is a link to it.
//
// The postmaster is not a child process. It is started through pg_ctl, in a session of
// its own, so that it survives Ctrl-C in the terminal and a kill -9 of its starter. The
// next [Start] adopts it, or cleans up after it. Therefore started and adopted servers
// are watched and stopped in the same way: by process id.
package embedded
