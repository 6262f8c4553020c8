// Package auditing answers auditors: who did what, why a call was allowed or
// refused, what the service answered at an instant of the past, and whether its
// read models are what the log makes of them. It replays the log and asks the
// code that serves live calls, so that the two cannot disagree.
//
//   - [Auditor.Explain] judges a past call ([frontdesk/domain/access.Judge]) and
//     names the events that each rule went by.
//   - [Auditor.AsOf] and [PracticesAsOf] ask the program's own queries about the
//     past.
//   - [Auditor.Rebuild] makes read models again, or compares them.
//   - [Auditor.Verification] compares what is stored with trees, checkpoints and keys.
//   - [Auditor.Events] and [Auditor.Calls] read what passes an [EventFilter] of the
//     log, or a [CallFilter] of the access record.
//   - [Auditor.RecordReading] records who reads patients' data.
package auditing
