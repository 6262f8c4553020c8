// Package patient holds the rules about the patients of a practice.
//
// Rules
//  1. A patient is registered once within a practice (D18), with a name.
//  2. A patient's record may be restricted to named staff, and the restriction may
//     be lifted (D17).
//  3. A patient's details may be changed. The former ones stay in the log (D73).
//  4. Contact details are replaced together, and each one is valid or empty (D148).
//  5. A patient is erased according to package erasure, by two people and not under
//     a hold (D70).
//  6. An erased patient is unknown in every answer. Their identifier is never
//     registered again; if they return, they get another one.
package patient
