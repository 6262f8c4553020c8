// Package appointment holds the rules about a patient's appointment at a site
// and the patient's arrival.
//
// Rules
//  1. An appointment is booked for a patient of the practice, at one of its
//     sites, at an instant.
//  2. Its arrival status is set to Called In, with a room of the site or
//     without one. Another room is another call-in; the same room again
//     changes nothing (D33).
//  3. A call-in ends when it is cleared, when the patient is marked as not
//     attending, or when the appointment's consultation starts. Without a
//     call-in, none is removed (D33).
//  4. No status is final: a patient who was marked as not attending may turn
//     up after all.
package appointment
