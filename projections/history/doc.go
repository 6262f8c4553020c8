// Package history reads the past: what happened to a request, an appointment, an account or
// a patient's record, and which accesses a record or a member of staff has. It keeps no
// table. Most of it reads the events; [Own] and [PasskeyRules] also read rows of other
// packages.
package history
