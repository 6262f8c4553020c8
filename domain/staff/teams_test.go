package staff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/staff"
)

func TestPracticeKeepsTeams_D164(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[staff.Teams]
	gps, nurses := staff.TeamID{UUID: [16]byte{15: 1}}, staff.TeamID{UUID: [16]byte{15: 2}}
	lee, kim := staff.ID{UUID: [16]byte{15: 3}}, staff.ID{UUID: [16]byte{15: 4}}
	add := func(id staff.TeamID, name string, members ...staff.ID) func(staff.Teams) ([]event.Event, error) {
		return func(of staff.Teams) ([]event.Event, error) { return of.Add(id, name, members) }
	}
	change := func(id staff.TeamID, seen int, name string, members ...staff.ID) func(staff.Teams) ([]event.Event, error) {
		return func(of staff.Teams) ([]event.Event, error) { return of.Change(id, seen, name, members) }
	}
	remove := func(of staff.Teams) ([]event.Event, error) { return of.Remove(gps) }
	first := staff.TeamSet{Team: gps, Name: "GPs", Members: []staff.ID{lee, kim}}
	second := staff.TeamSet{Team: nurses, Name: "Nurses", Members: []staff.ID{}}
	renamed := staff.TeamSet{Team: gps, Name: "Doctors", Members: []staff.ID{kim}}
	removed := staff.TeamRemoved{Team: gps}

	given().When(add(gps, " GPs ", kim, lee, kim)).Then(t, first)
	given(first).When(add(nurses, "gps")).Refuses(t, staff.ErrTeamNameTaken)
	given(first, removed).When(add(nurses, "GPs")).Then(t, staff.TeamSet{Team: nurses, Name: "GPs", Members: []staff.ID{}})
	given(first).When(change(gps, 1, "GPs", lee, kim)).Then(t)
	given(first).When(change(gps, 1, "Doctors", kim)).Then(t, renamed)
	given(first, renamed).When(change(gps, 1, "GPs", lee)).Refuses(t, staff.ErrTeamChanged)
	given(first, renamed).When(change(gps, 0, "GPs", lee, kim)).Then(t, first)
	given(first, second).When(change(nurses, 1, "GPS")).Refuses(t, staff.ErrTeamNameTaken)
	given().When(change(gps, 0, "GPs")).Refuses(t, staff.ErrUnknownTeam)
	given(first, removed).When(change(gps, 0, "GPs")).Refuses(t, staff.ErrUnknownTeam)
	given(first).When(remove).Then(t, removed)
	given(first, removed).When(remove).Then(t)
	for _, wrong := range []string{"", " ", "a\nb", "\xff", "a\u202eb", strings.Repeat("é", staff.MaxTeamName+1)} {
		given().When(add(gps, wrong)).Refuses(t, staff.ErrInvalidTeam)
	}
	var full []event.Event
	for n := range staff.MaxTeams {
		full = append(full, staff.TeamSet{Team: staff.TeamID{UUID: uuid.New()}, Name: fmt.Sprint("Team ", n)})
	}
	given(full...).When(add(gps, "One more")).Refuses(t, staff.ErrTooManyTeams)
	many := make([]staff.ID, staff.MaxTeamMembers+1)
	for n := range many {
		many[n].UUID = uuid.New()
	}
	given().When(add(gps, "All", many...)).Refuses(t, staff.ErrLargeTeam)
}

// A team is known at its practice alone, and only until it is removed.
func TestRemovedTeamIsUnknown_D164(t *testing.T) {
	t.Parallel()
	gps := staff.TeamID{UUID: [16]byte{15: 1}}
	set := staff.TeamSet{Team: gps, Name: "GPs"}
	if err := event.Fold[staff.Teams](set).Known(gps); err != nil {
		t.Errorf("the team: %v", err)
	}
	for name, teams := range map[string]staff.Teams{"none": {}, "removed": event.Fold[staff.Teams](set, staff.TeamRemoved{Team: gps})} {
		if err := teams.Known(gps); err != staff.ErrUnknownTeam {
			t.Errorf("%s: %v", name, err)
		}
	}
	if staff.TeamStream("elm") == staff.TeamStream("oak") {
		t.Error("two practices have one stream of teams")
	}
}
