// Package apply makes practices and applications what files of YAML declare.
//
// A document declares one practice or one application. [Read] cuts files into documents,
// [Run.Check] carries out all of them on a store to which nothing is appended, and
// [Run.Apply] in earnest. Both take the same steps, which are intents of the Desk, so a
// check refuses and says what would really happen.
//
// Rules
//  1. What a document does not name stays as it is. What shall go is named, with a word
//     that says so (remove, enabled: false, active: false).
//  2. What stands already changes nothing, so that a document can be applied again.
//  3. A document is carried out in stages. The changes of a stage are one append, and the
//     last stage lets applications call. Who is killed leaves nothing that the next run
//     would do twice, and no practice that is called before it is settled.
//  4. Nothing is changed before every document has been checked.
//  5. A link by which somebody chooses a password is handed over before it is stored. So
//     whoever is killed may have handed over links that are no good, but has never lost one.
package apply
