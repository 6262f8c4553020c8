// Package practice holds the rules about a medical practice, which is a tenant, and the
// applications that it enables. intake.go has the settings of a request type, closures.go the
// closures, and availability.go what follows from both (rule 5).
//
// Rules
//  1. A practice is registered once, under a tenant identifier that is a DNS label
//     (D35), with an IANA time zone.
//  2. An application must be enabled by the practice before it may call; it can be
//     disabled, and enabled again (D14).
//  3. For each request type, the practice may switch intake off and on, pause it,
//     with or without an end, resume it, and set opening hours (D23).
//  4. A closure, from now or an instant until another or for good, covers every
//     type. Reopening ends the current closure and leaves later ones.
//  5. A request is accepted unless its type is switched off, paused, or closed: in
//     that order (D2). The next opening is computed from all of these together (D24).
//  6. The practice words the texts that patients get with a copy of their data, on
//     topics of Article 15 of the GDPR (D144).
//  7. The practice keeps up to 40 note templates. A change names the text that its author
//     has read (D156).
package practice
