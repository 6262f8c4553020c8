// Package accesslog keeps the access record: a line for each judged call and for each page
// that showed patients (D37). It also keeps the checkpoints, the signed notes of the trees.
//
//	Recorder.Record ──→ queue ──→ access_record     many lines in a transaction, with numbers
//	Record.Calls    ←── the lines that pass a filter, newest first
//	Record.RowsOf   ←── the lines of a tree as they are stored, in the order of their numbers
//	Checkpoints     ←─→ the newest note of each tree
//
// Its rules:
//
//  1. No call waits for its line. Lines that cannot be written are lost, counted and logged.
//  2. The practitioner of an act claim is encrypted, and opens only in its line.
//  3. A line never changes. It leaves the database only into an archive (package retention).
//  4. Each reading by an auditor is an event of its own: [RecordAuditQuery].
package accesslog
