// Package request holds the rules about a patient's request to a practice.
//
// Rules
//  1. The fields of a request are judged by what they mean (§2.1 to §2.4):
//     [Requester.Proxy], [Attach] and [Type.Answers]. How a request is written
//     down is not decided here.
//  2. A request is submitted for a patient of the practice. Each has an
//     identifier of its own, so no request is asked about another.
//  3. A request may be marked as entered in error, with a reason. It is never
//     changed or taken out of the record (D73).
package request
