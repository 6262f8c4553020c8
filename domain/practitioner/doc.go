// Package practitioner holds the rules about the practitioners that applications name
// in the act claims of their calls. These names are not verified, and no practice
// registers them: a practitioner is identified only by their e-mail address. Their
// stream begins with a request for their erasure.
//
// Rules
//  1. A practitioner is erased according to package erasure, without a hold.
package practitioner
