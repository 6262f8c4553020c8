package appointment_test

import (
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/appointment"
)

func TestAnAppointmentHasANumberThatStays_D88(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"0190c7a2-0000-7000-8000-0000000000a1": "775 969",
		"0190c7a2-0000-7000-8000-0000000000a2": "775 970",
		"0190ffff-ffff-7fff-8000-0000000000a2": "775 970", // independent of the time of booking
	} {
		if got := (appointment.ID{UUID: uuid.MustParse(id)}).Number(); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
}
