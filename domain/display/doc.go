// Package display holds the rules about the screens in a practice's waiting rooms.
//
// Rules
//  1. A manager adds a display under a name, for one site, and chooses how it names
//     people.
//  2. A display gets a link when it is added. One screen opens it, once and in time,
//     and shows the board from then on.
//  3. A removed display shows nothing, and its link is invalid. It cannot be
//     restored; another one is added.
//  4. A display names people by their full name, their initials or their
//     appointment's number. It never receives more than it shows.
package display
