package sandbox

import (
	"testing"

	"frontdesk/domain/staff"
)

// A sandbox whose password is refused does not start.
func TestSandboxPasswordsAreAccepted_D142(t *testing.T) {
	t.Parallel()
	for range 20_000 {
		if password := newPassword(); staff.CheckPassword(password, staff.Known{}) != nil {
			t.Fatalf("%s is refused", password)
		}
	}
}
