//go:build prove

package alerting_test

import "testing"

// TestProveThatSlowAlertsFireByTheirCauses is of alerts that the program is slow to give cause for.
func TestProveThatSlowAlertsFireByTheirCauses_D111(t *testing.T) { //nolint:paralleltest // its parts run side by side
	tryAll(t, true)
}
