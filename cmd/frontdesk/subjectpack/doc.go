// Package subjectpack writes all that a practice holds about one patient into a ZIP: what
// a patient who asks is given (D73).
//
//   - pack.go: [Pack] says where everything comes from, and writes the ZIP.
//   - survey.go: [Survey] is what has to be known before anything is written.
//   - record.go: the entries of the care record, and appointments.
//   - told.go: every event, who has had to do with the patient's data, and whom webhooks
//     have told.
//   - words.go: actors and events in plain words.
//   - page.go, page.html, style.css: the page that people read and print.
//
// A long record takes little more memory than a short one: each part reads the patient's
// events anew, a thousand at a time, and files are copied piece by piece. What is held of
// the whole is a line for each mark, each change of details and each name.
package subjectpack
