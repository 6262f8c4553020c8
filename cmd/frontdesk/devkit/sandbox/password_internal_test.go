package sandbox

import (
	"testing"

	"frontdesk/domain/staff"
)

// A sandbox whose password is refused does not start.
func TestSandboxPasswordsAreAccepted_D142(t *testing.T) {
	t.Parallel()
	const drawnOnce = "jzsh-nven-eraa" // letters of a common password, by chance
	if staff.CheckPassword(drawnOnce, staff.Known{}) == nil {
		t.Fatalf("%s is accepted", drawnOnce)
	}
	drawn := []string{drawnOnce, "mapl-kett-orbi"}
	draw := func() (next string) {
		next, drawn = drawn[0], drawn[1:]
		return next
	}
	if password := newPassword(draw, staff.Known{}); password != "mapl-kett-orbi" {
		t.Errorf("made %s", password)
	}
	const tries = 20_000
	refused := 0
	for range tries {
		if staff.CheckPassword(randomPassword(), staff.Known{}) != nil {
			refused++
		}
	}
	if refused > tries/1000 {
		t.Errorf("%d of %d random passwords are refused", refused, tries)
	}
}
