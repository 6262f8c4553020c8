// Package site holds the rules about the places at which a practice sees patients.
//
// Rules
//  1. A practice adds a site under a name.
//  2. A room is added to one site, under a name, and stays there.
//  3. Either may be renamed, without any further action.
package site
