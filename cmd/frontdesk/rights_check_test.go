package main_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/anishathalye/porcupine"

	"frontdesk/commands/commandtest"
)

const (
	pingAsked = iota
	_
	_
	noteAsked
)

// TestCheckerFindsViolations_D15 shows the checker histories of a few
// operations, right and wrong ones.
func TestCheckerFindsViolations_D15(t *testing.T) {
	t.Parallel()
	begin := practiceState{enabled: true}
	for endpoint := range endpointsAsked {
		begin.granted[endpoint] = [...]bool{true, true}
	}
	begin.standing[0], begin.scoped[1][1] = 100, 100
	noGrant := fmt.Sprintf(notGranted, "create-note", "user-restricted")
	for _, c := range []struct {
		name    string
		right   bool
		history []porcupine.Operation
	}{
		{"disabled before the call", false, history(does(disable, 1, 2), gets(nobody, 0, pingAsked, 3, 4, allowed))},
		{"disabled during the call", true, history(does(disable, 1, 3), gets(nobody, 0, pingAsked, 2, 4, allowed))},
		{"refused first, allowed later, disabled once", false, history(does(disable, 1, 9),
			gets(nobody, 0, pingAsked, 2, 3, notEnabled), gets(nobody, 0, pingAsked, 4, 5, allowed))},
		{"an act that may never have been done", true, history(cutOff(disable, 1), gets(nobody, 0, pingAsked, 3, 4, allowed))},
		{"an act that was done after all", true, history(cutOff(disable, 1),
			gets(nobody, 0, pingAsked, 3, 4, allowed), gets(nobody, 0, pingAsked, 5, 6, notEnabled))},
		{"an act that was done and undone without a client", false, history(cutOff(disable, 1),
			gets(nobody, 0, pingAsked, 3, 4, notEnabled), gets(nobody, 0, pingAsked, 5, 6, allowed))},
		{"before the end", true, history(gets(0, 0, pingAsked, 98, 99, allowed))},
		{"refused before the end", false, history(gets(0, 0, pingAsked, 98, 99, notAuthorised))},
		{"across the end", true, history(gets(0, 0, pingAsked, 99, 101, allowed), gets(0, 0, pingAsked, 99, 101, notAuthorised))},
		{"at the end", false, history(gets(0, 0, pingAsked, 100, 101, allowed))},
		{"revoked", false, history(does(revoke, 1, 2), gets(0, 0, noteAsked, 3, 4, allowed))},
		{"a scope does for its own patient", true, history(gets(1, 1, noteAsked, 3, 4, allowed))},
		{"a scope is for one patient only", false, history(gets(1, 0, noteAsked, 3, 4, allowed))},
		{"the sentence for another patient", true, history(gets(1, 0, noteAsked, 3, 4, wrongPatient))},
		{"no sentence of another rule", false, history(gets(1, 0, noteAsked, 3, 4, notAuthorised))},
		{"a scope does not do for a ping", true, history(gets(1, 1, pingAsked, 3, 4, notAuthorised))},
		{"the grant comes before the user", true, history(does(ungrant, 1, 2), does(revoke, 3, 4), gets(0, 0, noteAsked, 5, 6, noGrant))},
		{"the user does not come before the grant", false, history(does(ungrant, 1, 2), does(revoke, 3, 4), gets(0, 0, noteAsked, 5, 6, notAuthorised))},
		{"restricted to another user", true, history(restricted(1, 1, 2), gets(0, 0, noteAsked, 3, 4, recordClosed))},
		{"restricted, and seen", false, history(restricted(1, 1, 2), gets(0, 0, noteAsked, 3, 4, allowed))},
		{"restricted to the user", true, history(restricted(0, 1, 2), gets(0, 0, noteAsked, 3, 4, allowed))},
		{"restricted, and pinged", true, history(restricted(1, 1, 2), gets(0, 0, pingAsked, 3, 4, allowed))},
		{"lifted, and closed", false, history(restricted(1, 1, 2), does(lift, 3, 4), gets(0, 0, noteAsked, 5, 6, recordClosed))},
		{"nothing to revoke, and it was there", false, history(func(h *rightsHistory) {
			h.add(porcupine.Operation{Input: changed{what: revoke, at: 1}, Call: 1, Output: noneThere, Return: 2})
		})},
	} {
		h := &rightsHistory{begun: commandtest.Noon, operations: c.history}
		if got := h.linearizable(begin); got != c.right {
			t.Errorf("%s: linearizable is %t", c.name, got)
		}
	}
}

// history is the record of a few operations.
func history(recorded ...func(*rightsHistory)) []porcupine.Operation {
	h := &rightsHistory{}
	for _, record := range recorded {
		record(h)
	}
	return h.operations
}

func gets(user, patient, endpoint int, from, to int64, answer string) func(*rightsHistory) {
	return func(h *rightsHistory) { h.answered(0, asked{endpoint, user, patient, from, to}, answer) }
}

// does is an act about the first member of staff and the first patient.
func does(what act, from, to int64) func(*rightsHistory) {
	return func(h *rightsHistory) {
		h.add(porcupine.Operation{Input: changed{what: what, endpoint: noteAsked, at: from}, Call: from, Output: done, Return: to})
	}
}

func cutOff(what act, from int64) func(*rightsHistory) {
	return func(h *rightsHistory) {
		h.add(porcupine.Operation{Input: changed{what: what, at: from}, Call: from, Output: unknown, Return: math.MaxInt64})
	}
}

func restricted(user int, from, to int64) func(*rightsHistory) {
	return func(h *rightsHistory) {
		h.add(porcupine.Operation{Input: changed{what: restrict, user: user, at: from}, Call: from, Output: done, Return: to})
	}
}
