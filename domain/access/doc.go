// Package access is the access record (D37): which calls were judged, whose
// they were and how they ended. A call is judged when its signature has held
// (D3); those that append an event of their own are in the record like all
// others, so that one list shows every call.
//
// A line of it is no event. Nothing is decided by it and nothing is built from
// it; it is written behind the answer, in batches, and kept for ever. What a
// call has changed is in the log, under the same request id.
package access
