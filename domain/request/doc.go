// Package request is a patient's request to a practice.
//
// Rules
//  1. A request has the fields of §2.1 to §2.4. Every structural fault is
//     reported at once, in the order of §7.1 (D2, D20, D21): [Parse].
//  2. A request is submitted once, for a patient of the practice.
package request
