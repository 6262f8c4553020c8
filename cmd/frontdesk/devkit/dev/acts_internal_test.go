package dev

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"

	"frontdesk.example/client"
	"frontdesk/cmd/frontdesk/devkit/dev/forward"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/domain/patient"
)

// An event is triggered again for the patient of its webhook.
func TestPatientOfWebhook_D159(t *testing.T) {
	t.Parallel()
	ann, bill := patient.ID{UUID: uuid.New()}, patient.ID{UUID: uuid.New()}
	info := sandbox.Info{Patients: []sandbox.Patient{{ID: ann, Name: "Ann Archer"}, {ID: bill, Name: "Bill Baker"}}}
	for data, want := range map[string]patient.ID{
		`{"patientId":"` + bill.String() + `"}`:                    bill,
		`{"appointmentId":"x","patientName":"Bill Baker"}`:         bill,
		`{"appointmentId":"x","siteId":"y"}`:                       ann,
		`{"patientId":"` + uuid.NewString() + `","userName":null}`: ann,
	} {
		w := forward.Webhook{Verified: client.Webhook{Data: json.RawMessage(data)}}
		if got, err := patientOf(w, info); err != nil || got != want {
			t.Errorf("%s: %v, %v", data, got, err)
		}
	}
	for name, w := range map[string]forward.Webhook{"refused": {}, "no patients": {Verified: client.Webhook{Data: json.RawMessage(`{}`)}}} {
		if got, err := patientOf(w, sandbox.Info{}); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}
