// Package requests serves the pages on which a practice handles patient requests.
//
//	requests                            the inbox of waiting requests, in four tabs, 50 a page; with row=ID, who has that one;
//	                                    with new-since=IDX, those that came since; POST saves its filter
//	requests/{request}                  one request: its text and history; POST runs an action
//	requests/{request}/patient          move it: POST finds patients, or moves it to one
//	requests/{request}/attachments/{n}  the nth file
//	note-templates                      the texts that staff insert into notes, for managers
//
// Rules
//  1. Nothing of a request is shown before the log has the event of opening it, with
//     the actor (D37). If that cannot be written, nothing is shown. The same holds for
//     a file.
//  2. A form carries the version of the request on its page. If the request has
//     changed since, the action is not done, and the page shows the changes and keeps
//     the typed values (D84). A row of the list carries no version: it takes a request
//     that no one has (D154).
//  3. The patient's text is hidden from members without access to the patient's
//     record.
//  4. No address, log line or metric contains patient data.
package requests
