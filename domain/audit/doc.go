// Package audit holds the one event that auditors cause: a reading of patient
// data is itself in the log.
//
// Rules
//  1. A reading of patient data is recorded before anything is shown: who read,
//     by which filter, and how much (D37).
//
// The database chooses the stream and the version of the event, because an
// auditor's role may add this one event and nothing else.
package audit
