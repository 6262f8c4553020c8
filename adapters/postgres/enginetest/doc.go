// Package enginetest runs a store, a sequencer and the log on a database of a test's own,
// for the tests of the packages of adapters/postgres.
//
//	e := enginetest.On(t, postgrestest.New(t).URL)
//	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 1})
//	e.Drain(t)
package enginetest
