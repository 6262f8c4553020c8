// Package erasure holds the rules for erasing a person: a patient, a member of
// staff, or a practitioner who was named in a call. Each of them has a stream of their
// own, whose state embeds a [State].
//
// Rules
//  1. Erasing takes two people: one asks, and another confirms, no sooner than 24 hours
//     and no later than 30 days after (D70). Anyone who asks for it again starts again. The two
//     are independent of each other, as package staff judges it (D135).
//  2. A request names the basis: why the law allows the erasure of these data.
//  3. Until it is confirmed, a request can be withdrawn by anyone who could have made it.
//  4. Nothing is erased under a hold. There may be several, and each is lifted by itself.
//  5. Erased is final. The service never reads the data again and records nothing more about
//     the person. Anyone who asks about them gets the answer for a stranger. [Reach] states
//     the limit of an erasure.
//  6. Data of an erased person in a restored backup are erased again at once, because two
//     people have decided it before (D71).
//
// An erasure destroys keys, not events: the events stay where they are, and their sealed
// values are unreadable from then on.
package erasure
