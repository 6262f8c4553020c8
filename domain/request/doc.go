// Package request holds the rules about a patient's request to a practice.
//
// Rules
//  1. The fields of a request are validated by their meaning (§2.1 to §2.4):
//     [Requester.Proxy], [Attach] and [Type.Answers]. The encoding of a request is
//     not decided here.
//  2. A request is submitted for a patient of the practice. Each has an identifier
//     of its own, so no rule needs another request.
//  3. A request may be marked as entered in error, with a reason. It is never
//     changed or removed from the record (D73).
//  4. Staff take a request that no member has, or give it to a colleague or a team
//     from the holder that they have seen. Of two concurrent acts one is refused
//     (D83, D164).
//  5. A request is completed once, with an outcome, by its holder, or by any member
//     if it has none. A member who reopens it becomes its holder. Until then it
//     cannot be taken, given or completed (D83).
//  6. A request of another patient is re-linked to them, with a reason, from the
//     patient that the member of staff has seen. From then on it belongs only to the
//     new patient (D83).
//  7. An opening of a request or of one of its files is recorded before it is shown
//     (D83).
//  8. Texts of staff about a request are encrypted under its key. Only the reason
//     for marking it as entered in error is in clear.
//  9. A request that ends as replied may have an answer to the patient, for the
//     application that sent the request. That application finds how the request ends
//     while it is linked to the same patient and not entered in error. Reopening
//     withdraws the answer (D149).
//  10. A request can be put off until a day, by its holder, or by any member if no
//     member has it. On that day it is new again. It waits no longer once it is
//     taken, given or completed (D165).
package request
