package audit_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/audit"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
)

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	ann := patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")}
	eventtest.Golden(t, audit.Queried{Command: "who-accessed", Filter: "patient=" + ann.String() + "&tenant=elm-street", Patient: ann, Personal: true, Count: 12})
	from := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	eventtest.Golden(t, audit.Archived{
		Name: "access_record_2026_03", Record: "access_record", From: from, To: from.AddDate(0, 1, 0), Lines: 12, SHA256: event.Digest{0xab},
	})
}

func TestAReadingOfPatientsIsRecorded_D37(t *testing.T) {
	t.Parallel()
	ann := patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")}
	for _, c := range []struct {
		reading audit.Queried
		want    bool
	}{
		{audit.Queried{Command: "log", Filter: "tenant=elm-street", Count: 12}, false},
		{audit.Queried{Command: "log", Personal: true}, true},
		{audit.Queried{Command: "log", Patient: ann}, true},
	} {
		if got := c.reading.ReadsPatients(); got != c.want {
			t.Errorf("%+v reads patients: %t, want %t", c.reading, got, c.want)
		}
	}
}
