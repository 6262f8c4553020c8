// Package apply changes practices and applications to match the declarations in YAML files.
//
// A document declares one practice or one application. [Read] cuts files into documents.
// [Run.Check] carries out all of them on a store to which nothing is appended, and
// [Run.Apply] on the real one. Both take the same steps, which are intents of the Desk, so a
// check returns the refusals and changes of a real run. [Current.Practice] and
// [Current.Application] go the other way: they return the declaration of what exists.
//
// Rules
//  1. Things that a document does not name stay as they are. A removal is explicit
//     (remove, enabled: false, active: false).
//  2. A declaration that already matches changes nothing, so that a document can be
//     applied again.
//  3. A document is carried out in stages. The changes of a stage are one append, and the
//     last stage lets applications call. A killed run leaves nothing that the next run
//     would do twice, and no practice that is called before it is complete.
//  4. Nothing is changed before every document has been checked.
//  5. A link for choosing a password is handed over before it is stored. A killed run may
//     therefore have handed over links that are invalid, but has never lost one.
package apply
