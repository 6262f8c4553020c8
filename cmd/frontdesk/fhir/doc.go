// Package fhir writes what happened as FHIR R4 has it: an AuditEvent says who has had to do
// with whose data, a Provenance who has changed what (D82).
//
//   - audit_event.go: AuditEvents, of events about patients and of calls.
//   - provenance.go: Provenances, of the events that have changed something.
//   - parties.go: who had a part in it, from the actor of an event or the caller of a call.
//   - kinds.go: what each event and each endpoint does, in FHIR's codes.
//   - element.go: the data types that both are made of.
//
// Rules
//  1. Only what is recorded is said. What FHIR wants and nobody has recorded is left out.
//  2. Nothing of what a record says is in it: neither patients' names nor answers nor notes.
//     Patients, staff and applications are identifiers. Only the practitioner of an act claim
//     is named, if personal data is to be shown; otherwise that is marked as masked.
//  3. An identifier of ours is a urn:uuid, and never the address of a FHIR resource: there is
//     no server that has one.
package fhir
