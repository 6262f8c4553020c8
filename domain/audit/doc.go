// Package audit holds the events about what is kept for auditors: a reading of patient
// data is itself in the log, and so is what the database does not hold any more.
//
// Rules
//  1. A reading of patient data is recorded before anything is shown: who read,
//     by which filter, and how much (D37).
//  2. Lines of the access record and of the deliveries are taken out of the database
//     once: who did it, which they were, and how to know their file again (D72).
//
// The database chooses the stream and the version of the first event, because an
// auditor's role may add this one event and nothing else.
package audit
