package dev

import (
	"encoding/json"
	"testing"
	"time"

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

// Lines and webhooks have the time of the sandbox's clock, as the service's own records do.
func TestTimesAreOfSandboxClock_D159(t *testing.T) {
	t.Parallel()
	noon := time.Date(2027, 1, 15, 12, 0, 0, 0, time.UTC)
	d := &dev{config: Config{Now: func() time.Time { return noon }}}
	if got := d.now(); !got.Equal(noon) {
		t.Errorf("without a sandbox it is %v", got)
	}
	d.snapshot.Clock = 12 * time.Hour
	if got := d.now(); !got.Equal(noon.Add(12 * time.Hour)) {
		t.Errorf("12 hours on it is %v", got)
	}
}
