// Package request is a patient's request to a practice.
//
// Rules
//  1. A request has the fields of §2.1 to §2.4, and means what they allow:
//     [Requester.Proxy], [Attach] and [Type.Answers]. How they are written
//     down is not decided here.
//  2. A request is submitted for a patient of the practice. Each has an
//     identifier of its own, so no request is asked about another.
package request
