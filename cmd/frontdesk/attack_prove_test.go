//go:build prove

package main_test

import (
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/provetest"
)

// How long honest callers are watched at rest, and during an attack. The first seconds of a
// new process are not measured.
var (
	warmUp = 2 * time.Second
	atRest = provetest.Pick(4*time.Second, siegeOfRelease/2)
	siege  = provetest.Pick(6*time.Second, siegeOfRelease)
)

const siegeOfRelease = 20 * time.Second

// attack is an attack on the other callers, at ten times the rate at which it once made the
// service unavailable.
type attack struct {
	name  string
	least int // the minimum of its tally after a siege for a release, or it was no attack
	run   func(*attacker)
}

// attacks are all of them, in the order of the table that is printed.
func attacks() []attack {
	return []attack{
		{"forms without a body", 800, formsWithoutBody},
		{"pipelined requests, unread", pipelines, pipelinedRequests},
		{"unsigned tokens, a key set that hangs", 14_000, unsignedTokens},
		{"calls without a body", mostBodies() / 2, callsWithoutBody},
		{"long texts that trickle", trickledTexts / 2, textsThatTrickle},
		{"files that trickle", trickledFiles / 2, filesThatTrickle},
		{"big records, unread", stalledReaders / 2, recordsUnread},
		{"sign-ins at once from one source", signInsAtOnce, manySignInsAtOnce},
		{"usernames with one password from one source", 1_500, manyUsernames},
		{"sources against one account", 2_500, manySources},
	}
}

// TestProveServiceWithstandsAttacks attacks a real process in every way that is listed above.
// Meanwhile other applications call, at the same and at other practices, and staff sign in
// and read pages: each of them is answered. Kinds with much later answers than at rest are
// marked in the table.
func TestProveServiceWithstandsAttacks(t *testing.T) { //nolint:paralleltest // it measures
	in := newTown(t)
	rows := []string{tableHead}
	for _, a := range attacks() {
		t.Run(strings.ReplaceAll(a.name, " ", "-"), func(t *testing.T) {
			s := in.serve(t)
			honest := in.honest(t, s.address)
			rest := honest.watch(atRest)
			besieged := in.besiege(t, a, s.address)
			during := honest.watch(siege)
			tally := besieged.end()
			result := outcome{a.name, rest, during, peakOf(t, s.pid), tally}
			rows = append(rows, result.row())
			t.Log("\n" + tableHead + "\n" + result.row())
			result.judge(t)
			provetest.Tried(t, 1, "attacks")
			provetest.Tried(t, tally.Begun, "hostile calls")
			if least := int(time.Duration(a.least) * siege / siegeOfRelease); tally.Begun < least {
				t.Errorf("%d were tried, which is no attack: want %d", tally.Begun, least)
			}
		})
	}
	t.Log("\n" + strings.Join(rows, "\n"))
}
