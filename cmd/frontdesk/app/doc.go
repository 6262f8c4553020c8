// Package app puts frontdesk together. It is the one composition root, and the
// program, the features and the benchmarks all use it.
//
//	Engine                                     what a command needs
//	├── calls, background and uploads pool     so that none can starve another
//	├── Desk ── Store ── at-once projections   a method for each intent
//	├── Sequencer                              Run by App; Drained by the command line
//	└── Auditor                                what auditors ask of the log
//
//	App = Engine + what serves
//	├── public listener   ── framing ── httpapi ── bearer.Authenticator ── outbound
//	│                               └─ staffweb ── signin
//	├── private listener  ── metrics, health, readiness
//	└── background        ── sequencer, one consumer for each following projection, sweeper,
//	                         webhooks' fan-out, sender and keeper, access recorder, relay to the broker
//
// [App.Run] starts the background work in stages, stops them in the reverse order,
// and returns when all of it has ended. Between the order to stop and the stop lies
// the drain, in which it is not ready and still serves. A limit that a [Config]
// does not name has the default of the package that uses it.
package app
