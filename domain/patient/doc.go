// Package patient holds the rules about the patients of a practice.
//
// Rules
//  1. A patient is registered once within a practice (D18), with a name.
//  2. A patient's record may be restricted to named staff, and the restriction
//     may be lifted (D17).
//  3. A patient's details may be changed. What they were stays in the log (D73).
package patient
