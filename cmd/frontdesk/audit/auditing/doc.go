// Package auditing answers auditors' questions: who did which action, why a call was allowed
// or refused, the service's answers at an instant of the past, and whether the read models
// match the log. It replays the log and calls the code that serves live calls, so that the
// two cannot disagree.
//
//   - [Auditor.Explain] judges a past call ([frontdesk/domain/access.Judge]) and
//     names the events that each rule went by.
//   - [Auditor.AsOf] and [PracticesAsOf] run the program's own queries on the past.
//   - [Auditor.Rebuild] rebuilds read models, or compares them.
//   - [Auditor.Verification] compares stored data with trees, checkpoints and keys.
//   - [Auditor.Events] and [Auditor.Calls] read the matches of an [EventFilter] in the
//     log, or of a [CallFilter] in the access record.
//   - [Auditor.RecordReading] records the auditor who reads patients' data.
package auditing
