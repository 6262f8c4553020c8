// Package day serves the pages of a practice's day.
//
//	day                  the appointments of a site on one day
//	day/book             POST books an appointment for the patient in the address
//	day/{appointment}    one appointment, and its history; POST runs an action
//
// Rules
//  1. Days and times are in the practice's time zone, also on days when the clocks
//     change. A skipped time is refused, and of a repeated one the first is meant.
//  2. A form carries the state of the appointment on its page. If that has changed
//     since, the action is not done; the page names the changes and their actors, and
//     keeps the typed values (D86).
//  3. A booking is made once, however often its form is sent.
//  4. Starting a consultation and cancelling are confirmed on a page of their own. An
//     arrival, a call-in and a mark of not attending can be undone for 30 seconds. A
//     time that may be a slip is confirmed before it is booked (D155).
//  5. Names are shown even if the record is restricted: expected patients must be
//     called in. No address, log line or metric contains patient data.
package day
