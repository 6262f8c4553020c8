package audit_test

import (
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/audit"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
)

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	ann := patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")}
	eventtest.Golden(t, audit.Queried{Command: "who-accessed", Filter: "patient=" + ann.String() + "&tenant=elm-street", Patient: ann, Personal: true, Count: 12})
}
