// Package postgrestest gives each test a migrated database of its own, in milliseconds,
// without any installation or setup.
//
//	db := postgrestest.New(t)
//	store := &eventstore.Store{DB: postgres.On(db.Pool(t)), …}
//
// All test processes of a user share one volatile cluster. The first process starts it
// and the others adopt it. Each set of migrations has a template database, so that
// creating a database only copies files. The kernel counts the users: each holds a
// shared lock that ends with its process. A watchdog waits for this lock and removes
// the cluster soon after the last user has ended. The cluster lives in memory if there
// is enough of it.
//
// Tests that kill Postgres, dump and restore it, or fill it with gigabytes use
// [Cluster].
package postgrestest
