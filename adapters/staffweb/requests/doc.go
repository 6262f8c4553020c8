// Package requests serves the pages on which a practice handles what patients ask of it.
//
//	requests                            the inbox: who waits, in four tabs, 50 a page
//	requests/{request}                  one request: what was asked, who did what; POST does something about it
//	requests/{request}/patient          to whom else it belongs: POST finds patients, or moves it to one
//	requests/{request}/attachments/{n}  the nth file
//
// Rules
//  1. Nothing of a request is shown before it is in the log that it was opened, and by
//     whom (D37). If that cannot be written, nothing is shown. A file is opened likewise.
//  2. A form says what its page has shown of the request. If the request has changed since,
//     nothing is done, the page says what has changed, and has kept what was typed (D84).
//  3. What the patient asked is hidden from those whom the patient's record is closed to.
//  4. No address, log line or metric holds anything of a patient.
package requests
