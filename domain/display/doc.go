// Package display holds the rules about the screens in a practice's waiting rooms.
//
// Rules
//  1. A manager adds a display under a name, for one site, and says how it names people.
//  2. A display is given a link with it. One screen opens it, once and in time, and shows
//     the board from then on.
//  3. A display that was removed shows nothing any more, and its link opens nothing. It
//     never comes back; another one is added.
//  4. A display names people by their full name, their initials or their appointment's
//     number. It is never told more than it shows.
package display
