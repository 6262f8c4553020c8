// Package record holds the rules about a patient's care record: its openings, breaking
// the glass of a restricted one, and its notes.
//
// Rules
//  1. Every opening of a patient's care record is recorded, before anything of it is
//     shown (D37).
//  2. A note is written for a patient of the practice and is not blank (D17).
//  3. A note may be marked as entered in error, with a reason. It is never changed
//     or removed from the record (D73).
//  4. A record that is restricted to named staff is closed to the others. Any of
//     them opens it for half an hour, by giving a reason (D85).
//
// Each opening has a stream of its own, and so has each note. No rule needs earlier
// ones, so staff who open a record at the same time do not wait for each other. The
// glass of a record has a stream for each member of staff.
package record
