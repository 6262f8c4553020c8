// Package privacy serves the pages of the practice's privacy officers (D90).
//
//	privacy                     who has broken the glass, whose erasure waits; a patient is
//	                            looked for here
//	privacy/refused             calls that were refused
//	privacy/erasures            the erasures of the practice, and whether they are final
//	privacy/erasures/{erasure}  the letter that confirms an erasure
//	privacy/patients/{patient}  who has had to do with a patient's data; restricting the
//	                            record, holding and erasing the data
//	…/{patient}/copy            all that is held about the patient, as a file
//
// Every page asks again who is there after 15 minutes. Whom a page names is noted in the
// access record, as for all pages (D91); a copy is an event before it is made. A privacy
// officer sees who did what, and when, and never what a record says: that is for those who
// treat the patient, and in the copy for the patient.
package privacy
