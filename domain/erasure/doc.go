// Package erasure holds the rules by which a person is forgotten: a patient, a member of
// staff, or a practitioner who was named in a call. Each of them has a stream of their
// own, whose state embeds a [State].
//
// Rules
//  1. Erasing takes two people: one asks, and another confirms, no sooner than 24 hours
//     and no later than 30 days after (D70). Anyone who asks for it again starts again. The two
//     are independent of each other, as package staff judges it (D135).
//  2. Whoever asks names the basis: why the law lets these data go.
//  3. Until it is confirmed, a request can be withdrawn by anybody who could have made it.
//  4. Nothing is erased under a hold. There may be several, and each is lifted by itself.
//  5. Erased is final. The service never reads the data again and records nothing more about
//     the person. Anyone who asks about them gets the answer for a stranger. [Reach] says what
//     an erasure does not reach.
//  6. What a restored backup has brought back is erased again at once, because two people
//     have decided it before (D71).
//
// What an erasure destroys is keys, not events: the events stay where they are, and what
// was sealed in them is unreadable from then on.
package erasure
