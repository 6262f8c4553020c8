// Package retention archives old lines of the access record and the deliveries (D72).
// Both tables are partitioned by ranges of a UUIDv7, which begins with its time.
//
//	default ──(if it has lines)──→ a partition with bounds
//	            partitions for this month and two more
//	an old partition ──→ detached ──→ file, manifest ──→ event ──→ dropped
//
// A partition of the access record has its file before it is detached, because its
// lines are in trees (D80): until then they can be read by their numbers, and from then
// on the trees begin after them. The file can be verified without the database.
//
// Each step is committed, or on disk, before the next one begins, and its result shows
// that it is done. So the next run completes one that was killed: no line is lost or
// archived twice. Only one at a time works on a database.
//
// No call waits for any of this: strong locks are taken as D54 describes.
package retention
