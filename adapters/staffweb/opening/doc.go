// Package opening serves the pages on which managers set when the practice takes
// requests (D89).
//
//	opening              the current view of patients, for each type, and the closures
//	opening/type/{type}  the changes of one type: on, off, pause, hours
//	opening/close        a closure for all types
//	opening/reopen       the end of one
//
// Every change is sent to opening, which first shows its effect for patients, now and
// next, and changes nothing. It uses practice.Reception, as every call of a patient's
// application does. It makes the change in a dry run: a refusal there is the refusal of
// the change. After confirmation it makes the change, unless the opening was changed in
// the meantime.
package opening
