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
//  4. Staff take a request that nobody has, or give it to somebody, from whom they have
//     seen to have it. Of two who act at once one is refused, and told so (D83).
//  5. A request is completed once, with an outcome, by whoever has it, or by anybody if
//     nobody does. Whoever reopens it has it. Until then it is not taken, given or
//     completed (D83).
//  6. A request that turns out to be another patient's is linked to them, with a reason,
//     from whom the member of staff has seen it to be. It is that patient's alone from
//     then on (D83).
//  7. An opening of a request or of one of its files is recorded before it is shown (D83).
//  8. What staff write about a request is sealed under its key. Only why it is marked as
//     entered in error is in clear.
package request
