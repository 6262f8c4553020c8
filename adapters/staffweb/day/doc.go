// Package day serves the pages by which a practice runs its day.
//
//	day                  the appointments of a site on one day
//	day/book             POST books an appointment for the patient that the address names
//	day/{appointment}    one appointment, and what happened to it; POST does something about it
//
// Rules
//  1. Days and times are those of the practice's clocks, also on the days on which these
//     are changed. A time that the clocks skip is refused, and one that they show twice is
//     the first of the two.
//  2. A form says what its page has shown of the appointment. If that has changed since,
//     nothing is done; the page says who changed what, and keeps what was typed (D86).
//  3. A booking is made once, however often its form is sent.
//  4. Names are shown of restricted records, too: who is expected has to be called in. No
//     address, log line or metric holds anything of a patient.
package day
