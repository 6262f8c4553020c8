// Package privacy serves the pages of the practice's privacy officers (D90).
//
//	privacy                     broken glass, erasures that wait for confirmation, and the
//	                            search for patients
//	privacy/refused             refused calls
//	privacy/erasures            the erasures of the practice, and whether they are final
//	privacy/erasures/{erasure}  the letter that confirms an erasure
//	privacy/checkpoint          keeping a checkpoint of the log, and checking a kept one
//	privacy-texts               what patients read with a copy; managers edit it
//	privacy/patients/{patient}  the access history of a patient's data; restricting the
//	                            record, holding and erasing the data
//	…/{patient}/copy            all data about the patient, as a file
//
// Every page but that of the texts, which holds no data of a person, needs reauthentication
// within the last 15 minutes. The access record lists the
// patients that a page names, as for all pages (D91). An event records a copy before the
// copy is made. A privacy officer sees actors, actions and times, never the content of a
// record: that is for those who treat the patient, and in the copy for the patient.
package privacy
