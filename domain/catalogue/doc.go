// Package catalogue lists the events about patients. Each has one row, with its
// words, its operation and its kind of entry in a patient's timeline.
//
// The audit exports, the timeline, the staff pages and the subject access pack
// are derived from the rows. Notifications are not: live pages and webhooks have
// tables of their own, in adapters/staffweb/live and adapters/webhooks.
package catalogue
