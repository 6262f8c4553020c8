// Package opening serves the pages on which managers decide when the practice takes
// requests (D89).
//
//	opening              what patients see now, of each type, and the closures
//	opening/type/{type}  the changes of one type: on, off, pause, hours
//	opening/close        a closure for all types
//	opening/reopen       the end of one
//
// Every change is sent to opening, which first says what patients would see of it, now and
// next, and changes nothing. It asks practice.Reception, as every call of a patient's
// application does. The change is rehearsed to know what would happen: what refuses it in
// the rehearsal is what would refuse it. Only then is it made, unless somebody else has
// changed the opening in the meantime.
package opening
