// Package audit holds the events about the log and the records themselves that auditors
// ask for: each reading of patients' data, that what was written in clear has been sealed,
// and what the database does not hold any more.
//
// Rules
//  1. A reading of patient data is recorded before anything is shown: who read,
//     by which filter, and how much (D37).
//  2. Stored events change once: what is personal in them is moved into boxes. That
//     they were is an event (D75).
//  3. Lines of the access record and of the deliveries are taken out of the database
//     once: who did it, which they were, and how to know their file again (D72).
//
// The database chooses the stream and the version of a reading, because an
// auditor's role may add this one event and nothing else.
package audit
