// Package history reads the past from the events: what happened to a request, an
// appointment, an account or a patient's record, and which accesses a record has. It keeps no
// table.
package history
