// Package audit is what auditors do to the log: they read it, and that they
// have read of patients is in it, too (D37).
//
// Rules
//  1. Reading patient data is recorded before it is shown: who, by which
//     filter, and how much.
//
// The stream and the version of the event are the database's, because an
// auditor's role may add this one event and nothing else.
package audit
