//go:build prove

package auditing_test

import (
	"strconv"
	"testing"

	"frontdesk/adapters/provetest"
)

// TestProveThatExplanationsMatchAnswers makes 10,000 calls of every endpoint, in
// both modes, while the state that they depend on changes, and explains each from the log.
// Ten services get them, one after the other, because each explanation reads the whole log.
func TestProveThatExplanationsMatchAnswers(t *testing.T) { //nolint:paralleltest // it takes the whole machine
	const calls = 1000
	towns := provetest.Pick(1, 10)
	found := newTally()
	for n := range towns {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			w := newTown(t)
			w.live(t, calls, uint64(n))
			w.explainAll(t, found)
		})
	}
	usual := []string{
		"allowed, and answered 200", "allowed, and answered 415", "allowed, and answered 400 invalid-patient-id",
		"allowed, and answered 400 patient-not-found", "allowed, and answered 400 invalid-request-body",
		"application-enabled (unauthorized) by nothing", "application-enabled (unauthorized) by practice.application-disabled.v1",
		"endpoint-granted (unauthorized) by nothing",
		"user-authorised (unauthorized) by nothing", "user-authorised (unauthorized) by user-authorisation.revoked.v1",
		// And by the end of an authorisation (D13).
		"user-authorised (unauthorized) by user-authorisation.granted.v1",
		"user-authorised (unauthorized) by staff.deactivated.v1",
		"patient-in-scope (patient-not-authorised)", "record-open (unauthorized) by patient.record-restricted.v1",
	}
	rare := []string{ // at most a few in a thousand calls
		"allowed, and answered 400 missing-patient-id", "allowed, and answered 400 request-type-disabled",
		"allowed, and answered 400 request-type-paused", "allowed, and answered 400 request-type-closed",
		"endpoint-granted (unauthorized) by application.endpoint-revoked.v1",
	}
	found.want(t, towns*calls, append(usual, provetest.Pick(nil, rare)...)...)
	provetest.Tried(t, towns*calls, "calls")
}
