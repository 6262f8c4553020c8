// Package audit is what auditors add to the log that they read: the fact that
// they have read it (D37).
//
// Rules
//  1. A reading that shows personal data, or that asks for one patient, is
//     recorded before anything is shown: who reads, by which filter, and how
//     much.
//
// The database decides the stream and the version of the event, because an
// auditor's role may append this one event and no other.
package audit
