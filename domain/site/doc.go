// Package site holds the rules about where a practice sees its patients.
//
// Rules
//  1. A practice adds a site under a name.
//  2. A room is added to one site, under a name, and stays there.
//  3. Either may be given another name. Nobody has to do anything because of it.
package site
