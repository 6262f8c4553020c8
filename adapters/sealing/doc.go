// Package sealing encrypts personal data, so that destroying a key erases the data
// encrypted with it. It does no I/O and uses no database.
//
//   - A [Key] belongs to one holder: a patient, a member of staff, a practitioner or a
//     request. It encrypts the holder's values in an event into a box.
//   - A [Box] opens only where it was made, because the event is authenticated with
//     it.
//   - The [MasterKey] wraps the keys, so that the database never holds one in the
//     clear. It is kept outside the database.
//
// The formats are permanent. Another cipher would have another first byte of a box.
package sealing
