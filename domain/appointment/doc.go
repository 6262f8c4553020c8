// Package appointment holds the rules about a patient's appointment at a site and the
// patient's arrival.
//
// Rules
//  1. An appointment is booked for a patient of the practice, at one of its sites,
//     at an instant.
//  2. Its arrival status is set to Called In, with a room of the site or without
//     one. Another room is another call-in; the same room again changes nothing
//     (D33). An earlier arrival is not required.
//  3. A call-in ends when it is cleared, when the patient is marked as not
//     attending, when the appointment's consultation starts, or when the appointment
//     is moved or cancelled. Without a call-in, none is removed (D33).
//  4. No status is final: a patient who was marked as not attending may still come.
//  5. Until its consultation starts, an appointment can be moved or cancelled. A
//     moved one stays the same appointment, and its arrival status starts again. A
//     cancelled one can no longer be used.
//  6. An act on an appointment is refused if its stream has changed since the actor
//     saw it on a page (D86).
//  7. For 30 seconds, the member of staff who marked an arrival, called in or marked
//     as not attending can undo that, unless something else has followed (D155).
//  8. It may be planned with an active clinician, for 5 to 120 minutes and as one of
//     four kinds. Until its consultation starts, each of these can change (D163).
package appointment
