package frame

import (
	"slices"
	"testing"
	"time"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/staff"
)

func TestWhatAnApplicationMayDoIsToldInTheOrderOfTheCatalogue(t *testing.T) {
	t.Parallel()
	got := Listed([]application.EndpointName{"new-endpoint", access.StartConsultation, access.CreateNote})
	want := []string{"add notes to patients’ care records", "start consultations", "use “new-endpoint”"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestDurationsReadWell(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		12 * time.Hour: "12 hours", time.Hour: "1 hour", 90 * time.Minute: "90 minutes", time.Minute: "1 minute",
		90 * time.Second: "90 seconds", time.Second: "1 second", 1500 * time.Millisecond: "2 seconds",
	} {
		if got := Span(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
	for wait, want := range map[time.Duration]time.Duration{
		time.Nanosecond: time.Second, 59*time.Second + 1: time.Minute, 91 * time.Second: 2 * time.Minute, 16 * time.Minute: 16 * time.Minute,
	} {
		if got := RoundUp(wait); got != want {
			t.Errorf("%v: got %v, want %v", wait, got, want)
		}
	}
}

func TestEveryRoleHasItsWords(t *testing.T) {
	t.Parallel()
	if got := NamesOf(staff.AllRoles()); got != "receptionist, clinician, manager and privacy officer" {
		t.Errorf("got %s", got)
	}
	if got := AllOf([]staff.Role{staff.Manager, staff.Clinician}); got != "a manager or a clinician" {
		t.Errorf("got %s", got)
	}
}
