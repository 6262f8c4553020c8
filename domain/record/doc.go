// Package record is a patient's care record: that it was opened, and the notes
// in it.
//
// Rules
//  1. Every opening of a patient's care record is recorded, before anything
//     of it is shown (D37).
//  2. A note is written once, for a patient of the practice, and is not blank
//     (D17).
//
// An opening is a stream of its own, and so is a note: no rule asks about the
// ones before, so that those who open one record at once do not wait for each
// other.
package record
