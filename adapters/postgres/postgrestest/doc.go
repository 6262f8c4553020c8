// Package postgrestest gives each test a migrated database of its own, in
// milliseconds, without asking for anything to be installed or started first.
//
//	db := postgrestest.New(t)
//	store := &postgres.Store{Pool: db.Pool(t), …}
//
// Behind it is one volatile cluster that all test processes of a user share.
// The first to come starts it and the others adopt it; a template database
// per set of migrations makes a new database a copy of files. The kernel
// counts the users: each holds a shared lock that ends with its process,
// however it ends. A watchdog waits for that lock and removes the cluster soon
// after the last user has left. Where there is room the cluster lives in memory.
//
// Tests that kill Postgres, dump and restore it, or fill it with gigabytes, use
// [Cluster].
package postgrestest
