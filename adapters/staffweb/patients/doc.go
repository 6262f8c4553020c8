// Package patients is the staff pages about a practice's patients: finding them, their
// records, registering them and changing their details (D85).
//
//	patients                     a form; a POST is answered in place, so no address holds a name
//	patients/register            registers a patient, and warns of possible duplicates
//	patients/{patient}           the record; its opening is recorded before it is shown
//	patients/{patient}/glass     opens a restricted record to one member, with a reason
//	patients/{patient}/timeline  events and their actors
//	patients/{patient}/details   name and date of birth
//	patients/{patient}/contact   telephone, email and NHS number, unless the record is closed to the member
//	patients/{patient}/notes     adds a note
//
// Addresses contain only opaque identifiers. Names are opened for the one page that
// shows them. Erased patients, patients of other practices and unknown ones get the
// same answer.
package patients
