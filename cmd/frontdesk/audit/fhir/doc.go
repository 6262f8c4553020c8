// Package fhir writes events in the form of FHIR R4: an AuditEvent records who accessed whose
// data, a Provenance who has changed it (D82).
//
//   - audit_event.go: AuditEvents, of events about patients and of calls.
//   - provenance.go: Provenances, of events that are changes.
//   - parties.go: the parties, from the actor of an event or the caller of a call.
//   - kinds.go: the operation of each event and each endpoint, in FHIR's codes.
//   - element.go: the data types that both are made of.
//
// Rules
//  1. Only recorded facts are written. Elements of FHIR that were not recorded are left out.
//  2. No content of a record is written: no patients' names, answers or notes. Patients,
//     staff and applications are identifiers. Only the practitioner of an act claim is
//     named, if personal data is to be shown; otherwise that is marked as masked.
//  3. An identifier of ours is a urn:uuid, and never the address of a FHIR resource: no
//     server has one.
package fhir
