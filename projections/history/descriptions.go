package history

import (
	"strings"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/catalogue"
)

// pages describe views of a patient's data by staff, by the topic of a page in the
// access record.
var pages = map[string]string{
	"requests":        "saw the patient on the page of requests",
	"requests-asked":  "saw the beginning of what the patient asks, on the page of requests",
	"patients":        "saw the patient on the pages of patients",
	"patient-contact": "saw the patient’s contact details to change them",
	"patients-closed": "saw a restricted record’s page, with the appointments",
	"day":             "saw the patient on the day’s page",
	"book":            "saw the patient to book an appointment",
	"appointment":     "saw an appointment of the patient",
	"privacy":         "saw the patient on the privacy pages",
	"privacy-patient": "viewed the patient’s access history",
	"privacy-refused": "saw the patient among refused calls",
}

// shownWords describe answers that show patients the caller did not name.
var shownWords = map[application.EndpointName]string{
	access.CalledIn:       "call: see who is called in",
	access.RequestOutcome: "call: see how a patient request ended",
}

// shownBy begins the topic of a waiting room's display.
const shownBy = "display:"

// Describe returns an event, a call, a page view or a webhook in plain words. It
// describes anything else by its name.
func Describe(name string) string {
	if row := catalogue.Find(name); row.Words != "" {
		return row.Words
	}
	if endpoint, ok := access.Find(application.EndpointName(name)); ok && endpoint.Request != "" {
		return "call: " + endpoint.Request
	}
	if kind, ok := application.FindWebhook(application.WebhookEvent(name)); ok {
		return kind.Happened
	}
	if words, ok := pages[name]; ok {
		return words
	}
	if strings.HasPrefix(name, shownBy) {
		return "showed that the patient was called in"
	}
	if endpoint, _, shown := access.ShownBy(name); shown {
		return shownWords[endpoint.Name]
	}
	return name
}
