// Package practitioner holds the rules about the practitioners whom applications name in
// the act claims of their calls. Nobody checks these names, and a practice registers
// none of them: a practitioner is known by their e-mail address alone, and their stream
// begins when they are to be forgotten.
//
// Rules
//  1. A practitioner is forgotten as package erasure says, without a hold.
package practitioner
