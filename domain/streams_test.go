package domain_test

import (
	"testing"
	"time"

	"frontdesk/domain/application"
	"frontdesk/domain/audit"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/practitioner"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/domain/signingkey"
	"frontdesk/domain/staff"
)

// A derived identifier is permanent: with another one, the existing stream is not
// found.
func TestDerivedStreamsArePermanent(t *testing.T) {
	t.Parallel()
	app, ann, may := application.ID{UUID: [16]byte{15: 1}}, patient.ID{UUID: [16]byte{15: 2}}, staff.ID{UUID: [16]byte{15: 3}}
	day := time.Date(2026, time.March, 2, 23, 30, 0, 0, time.FixedZone("", -3600)) // the 3rd in UTC
	standing := authorisation.Subject{Application: app, Staff: may}
	scoped := authorisation.Subject{Application: app, Staff: may, Patient: ann}
	for want, stream := range map[string]event.Stream{
		"elm 600abe1b-a92d-5859-b7f0-18acdd5ceb1b": practice.StreamOf("elm"),
		"elm cc17e846-ea05-54f5-9b2e-ece03d02ac18": practice.ClosuresStream("elm"),
		"elm bf6e1fcd-9bc9-52e4-98e3-6e53a0683f1b": practice.IntakeStream("elm", request.Medical),
		"elm 25e720f4-17b5-53f2-a23e-66f2908c0dc3": practice.EnablementStream("elm", app),
		"elm b8a9c1e7-8973-5537-ad23-2e58fdb9509a": patient.StreamOf("elm", ann),
		"elm f57d9422-87d8-5e7c-93d6-fe55174ced8f": practitioner.StreamOf("elm", practitioner.ID{UUID: [16]byte{15: 4}}),
		"elm 597c1e19-c6f5-5df0-996c-f159b00a64a6": record.GlassStreamOf("elm", ann, may),
		"elm cfc5ba4b-ddde-5a1f-983d-19b97642947a": authorisation.StreamOf("elm", standing),
		"elm b7d0f059-5acc-5619-9dba-a31a6512ca39": authorisation.StreamOf("elm", scoped),
		"elm ea194604-a8a7-5639-9488-c36157b8ef85": staff.TriesStream("elm", may, day),
		"elm 0692d15d-ff81-5034-9722-d6bf0b14e23c": application.WebhookTestStream("elm", app, day),
		" c20796b8-385a-5065-9b08-53d37ac7e1ce":    application.RereadStream(app, day),
		" 5d5ca0b6-10f3-5301-9779-c0855d373b7a":    signingkey.StreamOf(),
		" cd7b0f64-2ac8-5ef0-bda6-78de107ea30b":    epoch.StreamOf(),
		" 0703c014-32c8-5bb1-9a2e-7d4a45f59349":    audit.StreamOfArchive("access_record_2026_04"),
	} {
		if got := stream.Tenant + " " + stream.ID.String(); got != want {
			t.Errorf("stream = %s, want %s", got, want)
		}
	}
}
