// Package access is the access record (D37): which calls were judged, whose
// they were and how they ended.
//
// A line of it is no event. Nothing is decided by it and nothing is built from
// it; it is written after the answer, in batches, and kept for ever. What a
// call has changed is in the log, under the same request id.
package access
