// Package app puts frontdesk together: the one composition root, used by the
// program, by the features and by the benchmarks.
//
//	Engine                                     what a command needs
//	├── calls, background and uploads pool     so that none can starve another
//	├── Store ── at-once projections
//	├── Sequencer                              Run by App; Drained by the command line
//	└── Commands                               the table of contents of all intents
//
//	App = Engine + what serves
//	├── public listener   ── httpapi ── bearer.Authenticator ── outbound
//	│                     └─ staffweb ── signin
//	├── private listener  ── metrics, health, readiness
//	└── background        ── sequencer, one consumer for each following projection, sweeper,
//	                         webhooks' fan-out, sender and keeper, access recorder
//
// Everything that runs is started by [App.Run] in this order and stopped in
// the reverse of it; Run returns when all of it has ended.
package app
