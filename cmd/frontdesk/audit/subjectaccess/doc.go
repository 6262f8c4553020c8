// Package subjectaccess writes all data that a practice holds about one patient into a ZIP, for
// a subject access request (D73).
//
//   - pack.go: [Pack] holds the sources of the data, and writes the ZIP.
//   - survey.go: [Survey] collects the facts that are needed before anything is written.
//   - record.go: the entries of the care record, and appointments.
//   - history.go: what the practice did about requests and about the patient's data.
//   - information.go, letter.html: what the practice tells patients, and the letter with it.
//   - accesses.go: every event, the accesses to the patient's data, and the webhooks about them.
//   - words.go: actors and events in plain words.
//   - page.go, page.html, style.css: the page that people read and print.
//
// A long record takes little more memory than a short one: each part reads the patient's
// events again, a thousand at a time, and files are copied piece by piece. Only a line for
// each request, mark, change of details and name is held in memory.
package subjectaccess
