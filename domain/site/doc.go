// Package site holds the rules about where a practice sees its patients.
//
// Rules
//  1. A practice adds a site under a name.
//  2. A room is added to one site, under a name, and stays there.
package site
