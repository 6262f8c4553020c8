// Package audit holds the events about the log and the records themselves that auditors
// request: each reading of patients' data, the encryption of data that was stored in
// clear, and data that was deleted from the database.
//
// Rules
//  1. A reading of patient data is recorded before anything is shown: the reader,
//     the filter, and the number of results (D37).
//  2. Stored events change once: their personal values are moved into boxes. An
//     event records this (D75).
//  3. Lines of the access record and of the deliveries are archived once. An event
//     records the actor, the period and the file's digest (D72).
//
// The database chooses the stream and the version of a reading, because an auditor's
// role may only add this one event.
package audit
