package staff

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// The limits of teams.
const (
	MaxTeams       = 40
	MaxTeamName    = 60 // characters
	MaxTeamMembers = 200
)

// TeamID identifies a team of a practice.
type TeamID struct{ uuid.UUID }

// Events of teams: lists of staff, which get requests.
type (
	// TeamSet records the name and the members of a team, new or not.
	TeamSet struct {
		Team    TeamID `json:"team"`
		Name    string `json:"name"`
		Members []ID   `json:"members"` // each once, in the order of their identifiers
	}
	// TeamRemoved records that the practice no longer has a team.
	TeamRemoved struct {
		Team TeamID `json:"team"`
	}
)

// EventName returns the name that the event is stored under.
func (TeamSet) EventName() string { return "staff.team-set.v1" }

// EventName returns the name that the event is stored under.
func (TeamRemoved) EventName() string { return "staff.team-removed.v1" }

// The refusals of rule 13.
var (
	ErrUnknownTeam   = fault.New(fault.Missing, "unknown-team", "The practice has no such team.")
	ErrInvalidTeam   = fault.New(fault.Invalid, "invalid-team", "Enter a name of at most 60 printable characters.")
	ErrTeamNameTaken = fault.New(fault.Conflict, "team-name-taken", "Choose another name: the practice has a team with this name.")
	ErrTooManyTeams  = fault.New(fault.Conflict, "too-many-teams", "Remove a team first: a practice can have 40.")
	ErrLargeTeam     = fault.New(fault.Invalid, "team-too-large", "Choose at most 200 members for a team.")
	ErrTeamChanged   = fault.New(fault.Conflict, "team-changed", "Look at the team again: a colleague has changed it.")
)

// TeamStream returns the stream of a practice's teams.
func TeamStream(tenant string) event.Stream {
	return event.Stream{Tenant: tenant, ID: event.DerivedID("teams", tenant)}
}

// Teams is the teams of a practice.
type Teams struct{ of map[TeamID]team }

// team is a team, and how many events have set it.
type team struct {
	TeamSet
	changes int
}

// Known returns [ErrUnknownTeam] if the practice does not have the team.
func (t Teams) Known(id TeamID) error {
	if _, known := t.of[id]; !known {
		return ErrUnknownTeam
	}
	return nil
}

// Members returns the members of a team, who may have left.
func (t Teams) Members(id TeamID) []ID { return slices.Clone(t.of[id].Members) }

// Add adds a team (rule 13).
func (t Teams) Add(id TeamID, name string, members []ID) ([]event.Event, error) {
	if len(t.of) >= MaxTeams {
		return nil, ErrTooManyTeams
	}
	return t.set(id, name, members)
}

// Change replaces the name and the members of a team (rule 13). Seen is how many events
// had set the team when its author read it; 0 is not compared. The same again changes nothing.
func (t Teams) Change(id TeamID, seen int, name string, members []ID) ([]event.Event, error) {
	before, known := t.of[id]
	switch {
	case !known:
		return nil, ErrUnknownTeam
	case seen != 0 && seen != before.changes:
		return nil, ErrTeamChanged
	}
	return t.set(id, name, members)
}

// Remove removes a team. Its requests have no holder from then on. To remove it twice changes
// nothing.
func (t Teams) Remove(id TeamID) ([]event.Event, error) {
	if t.Known(id) != nil {
		return nil, nil
	}
	return []event.Event{TeamRemoved{id}}, nil
}

func (t Teams) set(id TeamID, name string, members []ID) ([]event.Event, error) {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > MaxTeamName || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return nil, ErrInvalidTeam
	}
	members = append([]ID{}, members...)
	slices.SortFunc(members, func(a, b ID) int { return slices.Compare(a.UUID[:], b.UUID[:]) })
	set := TeamSet{id, name, slices.Compact(members)}
	if len(set.Members) > MaxTeamMembers {
		return nil, ErrLargeTeam
	}
	for other, with := range t.of {
		if other != id && strings.EqualFold(with.Name, name) {
			return nil, ErrTeamNameTaken
		}
	}
	if before, known := t.of[id]; known && before.Name == set.Name && slices.Equal(before.Members, set.Members) {
		return nil, nil
	}
	return []event.Event{set}, nil
}

// Apply returns the teams after the event.
func (t Teams) Apply(e event.Event) Teams {
	of := maps.Clone(t.of)
	if of == nil {
		of = map[TeamID]team{}
	}
	switch e := e.(type) {
	case TeamSet:
		of[e.Team] = team{e, of[e.Team].changes + 1}
	case TeamRemoved:
		delete(of, e.Team)
	default:
		return t
	}
	return Teams{of}
}

// Events returns the events of the stream of a practice's teams.
func (Teams) Events() []event.Event { return []event.Event{TeamSet{}, TeamRemoved{}} }
