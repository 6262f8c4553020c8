// Package patients is the staff pages about a practice's patients: finding them, their
// records, registering them and changing their details (D85).
//
//	patients                     a form; a POST is answered in place, so no address holds a name
//	patients/register            registers somebody, and warns of who may be the same person
//	patients/{patient}           the record, which is noted as opened before it is shown
//	patients/{patient}/glass     opens a restricted record to one member, by a reason
//	patients/{patient}/timeline  what happened, and who did it
//	patients/{patient}/details   name and date of birth
//	patients/{patient}/notes     adds a note
//
// Addresses hold opaque identifiers alone. Names are opened for the one page that shows
// them. Somebody who was erased, somebody of another practice and nobody at all have the
// same answer.
package patients
