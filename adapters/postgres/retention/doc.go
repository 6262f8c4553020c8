// Package retention keeps the access record and the deliveries no longer than needed
// (D72). Both tables are partitioned by ranges of a UUIDv7, which begins with its time.
//
//	default ──(if it has lines)──→ a partition with bounds
//	            partitions for this month and two more
//	a partition that is old enough ──→ detached ──→ file, manifest ──→ event ──→ dropped
//
// A partition of the access record has its file before it is detached, because its lines
// are in trees (D80): until then they can be read by their numbers, and from then on the
// trees begin behind them. The file has what is needed to verify it without the database.
//
// Each step is committed, or is on the disk, before the next one begins, and each says by
// what it leaves that it is done. So a run that is killed is finished by the next one:
// nothing is lost, and nothing is archived twice. One at a time works on a database.
//
// No call waits for any of this: strong locks are asked for as D54 says.
package retention
