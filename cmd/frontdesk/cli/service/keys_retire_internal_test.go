package service

import (
	"testing"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/signingkey"
	"frontdesk/projections"
)

// The list shows the steps that the rules allow: from that instant, and not a second before.
func TestListShowsAllowedStepsOfKeys_D34(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	this, other := signingkey.Key{KID: "this"}, signingkey.Key{KID: "other"}
	staged, active := signingkey.Staged{Key: this, At: noon}, signingkey.Activated{Key: this, At: noon}
	begun, retired := signingkey.RetirementBegun{Key: this, At: noon}, signingkey.Retired{Key: this, At: noon}
	another := []event.Event{signingkey.Staged{Key: other, At: noon}, signingkey.Activated{Key: other, At: noon}}
	for _, test := range []struct {
		state   signingkey.State
		history []event.Event
	}{
		{signingkey.StateStaged, []event.Event{staged}},
		{signingkey.StateStaged, append(another, staged)},
		{signingkey.StateActive, []event.Event{staged, active}},
		{signingkey.StateRetiring, []event.Event{staged, active, begun}},
		{signingkey.StateRetiring, append([]event.Event{staged, active, begun}, another...)},
		{signingkey.StateRetired, []event.Event{staged, active, begun, retired}},
	} {
		var ring signingkey.Ring
		for _, e := range test.history {
			ring = ring.Apply(e)
		}
		signs, _ := ring.Active()
		can := steps(projections.SigningKey{KID: this.KID, State: test.state, Since: noon}, signs.KID)
		for _, step := range []struct {
			name string
			from time.Time
			try  func(signingkey.KID, time.Time) ([]event.Event, error)
		}{{"activate", can.activate, ring.Activate}, {"retire", can.retire, ring.Retire}} {
			late, _ := step.try(this.KID, noon.Add(1000*time.Hour))
			now, _ := step.try(this.KID, step.from)
			before, _ := step.try(this.KID, step.from.Add(-time.Second))
			never := step.from.IsZero()
			if len(late) > 0 == never || !never && len(now) == 0 || step.from.After(noon) && len(before) > 0 {
				t.Errorf("%s: to %s it is allowed from %s, says the list, and the rules say %v, %v, %v", test.state, step.name, step.from, before, now, late)
			}
		}
	}
}
