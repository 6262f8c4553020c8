// Package app is the composition root of the program, the features and the benchmarks.
//
//	Engine                                     for commands
//	├── calls, background and uploads pool     so that none can starve another
//	├── Desk ── Store ── at-once projections   a method for each intent
//	├── Sequencer                              Run by App; Drained by the command line
//	└── Auditor                                auditors' queries of the log
//
//	App = Engine + servers and background work
//	├── public listener   ── framing ── httpapi ── bearer.Authenticator ── outbound
//	│                               └─ staffweb ── signin
//	├── private listener  ── metrics, health, readiness
//	└── background        ── sequencer, one consumer for each following projection, sweeper,
//	                         webhooks' fan-out, sender and keeper, access recorder, relay to the broker
//
// [App.Run] starts the background work in stages, stops them in the reverse order, and returns
// when all of it has ended. During the drain, between the order to stop and the stop, it is
// not ready and still serves. A limit that a [Config] does not set has the default of the
// package that uses it.
package app
