package projections

import "strings"

// deeds are what events, calls and webhooks are in plain words. What is not here is shown by
// its own name.
var deeds = map[string]string{
	"patient.registered.v1":                "registered the patient",
	"patient.details-changed.v1":           "changed the patient’s details",
	"patient.record-restricted.v1":         "restricted the record to named staff",
	"patient.restriction-lifted.v1":        "opened the record to all staff again",
	"care-record.opened.v1":                "opened the record",
	"care-record.glass-broken.v1":          "opened the restricted record for half an hour, and gave a reason",
	"care-record.note-created.v1":          "wrote a note",
	"care-record.note-entered-in-error.v1": "marked a note as entered in error",
	"patient-request.submitted.v1":         "sent a patient request",
	"patient-request.entered-in-error.v1":  "marked a patient request as entered in error",
	"appointment.booked.v1":                "booked an appointment",
	"appointment.moved.v1":                 "moved an appointment",
	"appointment.cancelled.v1":             "cancelled an appointment",
	"appointment.arrived.v1":               "marked the patient as arrived",
	"appointment.called-in.v1":             "called the patient in",
	"appointment.call-in-removed.v1":       "ended the call-in",
	"appointment.did-not-attend.v1":        "marked the patient as not attending",
	"appointment.attended.v1":              "began the appointment",
	"consultation.started.v1":              "started a consultation",
	"user-authorisation.granted.v1":        "let an application act for them with this patient",
	"user-authorisation.revoked.v1":        "stopped an application from acting for them with this patient",
	"audit.queried.v1":                     "read about the patient in the log",
	"patient-request.opened.v1":            "opened a patient request",
	"attachment.opened.v1":                 "opened a file that was sent with a patient request",
	"patient-request.taken.v1":             "took a patient request",
	"patient-request.given.v1":             "gave a patient request to a colleague",
	"patient-request.urgency-changed.v1":   "changed how urgent a patient request is",
	"patient-request.noted.v1":             "wrote a note about a patient request",
	"patient-request.completed.v1":         "completed a patient request",
	"patient-request.reopened.v1":          "reopened a patient request",
	"patient-request.re-linked.v1":         "linked a patient request to this patient",
	"patient.erasure-requested.v1":         "asked for the patient’s data to be erased",
	"patient.erasure-withdrawn.v1":         "withdrew the request to erase the patient’s data",
	"patient.erasure-held.v1":              "had the patient’s data kept from being erased",
	"patient.erasure-hold-lifted.v1":       "ended a hold on the patient’s data",
	"patient.erased.v1":                    "erased the patient’s data",

	"create-patient-request": "call: send a patient request",
	"create-note":            "call: write a note",
	"retrieve-care-record":   "call: read the record",
	"open-care-record":       "call: open the record",
	"book-appointment":       "call: book an appointment",
	"start-consultation":     "call: start a consultation",

	"requests":        "saw the patient on the page of requests",
	"patients":        "saw the patient on the pages of patients",
	"day":             "saw the patient on the day’s page",
	"book":            "saw the patient to book an appointment",
	"appointment":     "saw an appointment of the patient",
	"privacy":         "saw the patient on the privacy pages",
	"privacy-patient": "saw who has had to do with the patient’s data",
	"privacy-refused": "saw the patient among refused calls",

	"record.opened":               "the record was opened",
	"consultation.started":        "a consultation was started",
	"callin.notification.shown":   "the patient was called in, by name",
	"callin.notification.removed": "the call-in ended",
}

// shownBy begins the topic of a waiting room's display.
const shownBy = "display:"

// Deed returns what an event, a call, a look at a page or a webhook is in plain words.
func Deed(name string) string {
	if deed, known := deeds[name]; known {
		return deed
	}
	if strings.HasPrefix(name, shownBy) {
		return "showed that the patient was called in"
	}
	return name
}
