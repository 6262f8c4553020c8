// Package audit holds the events about the log itself that auditors ask for: each reading
// of patients' data, and that what was written in clear has been sealed.
//
// Rules
//  1. A reading of patient data is recorded before anything is shown: who read,
//     by which filter, and how much (D37).
//  2. Stored events change once: what is personal in them is moved into boxes. That
//     they were is an event (D75).
//
// The database chooses the stream and the version of a reading, because an
// auditor's role may add this one event and nothing else.
package audit
