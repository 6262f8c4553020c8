// Package uploads keeps the files that patients send, and deletes old ones.
//
//	Store.AddChunk ──→ uploads, upload_chunks      before an event names the file
//	Store.Open     ←── the parts, one in memory at a time
//	Sweeper        ──→ deletes files that no event has named within a day, and old answers
//
// Its rules:
//
//  1. A file is encrypted, and opens only with the key, size and digest of the event that
//     names it.
//  2. The append that names a file flushes its parts to the disk.
//  3. A file that an event names is never deleted: a foreign key forbids it.
package uploads
