package live

import (
	"testing"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
)

// Whatever happens to a request or an appointment is told of, but that somebody has read it.
func TestPagesAreToldOfWhateverHappens_D87(t *testing.T) {
	t.Parallel()
	silent := map[string]bool{request.Opened{}.EventName(): true, request.AttachmentOpened{}.EventName(): true}
	for _, e := range append(request.Events(), appointment.Events()...) {
		tell, told := tells[e.EventName()]
		if told == silent[e.EventName()] {
			t.Errorf("%s: told of: %v", e.EventName(), told)
		}
		if told && tell(event.Recorded{Event: e, Idx: 1})[0].What == "" {
			t.Errorf("%s: nothing is told", e.EventName())
		}
	}
	if len(tells) != len(rows) {
		t.Errorf("%d rows are about %d events", len(rows), len(tells))
	}
}
