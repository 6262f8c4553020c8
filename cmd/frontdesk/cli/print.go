package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// made is what a command has made, by the names of the contract.
type made map[string]any

// appendedEvent is an event as a command reports it.
type appendedEvent struct {
	ID      uuid.UUID `json:"id"`
	Name    string    `json:"name"`
	Stream  uuid.UUID `json:"stream"`
	Version int       `json:"version"`
}

// print reports what was made and appended: one JSON object, or lines for
// people.
func (f engineFlags) print(r *run, m made, appended []event.Recorded) error {
	events := []appendedEvent{}
	for _, e := range appended {
		events = append(events, appendedEvent{e.ID, e.EventName(), e.Stream.ID, e.Version})
	}
	if f.JSON {
		object := made{"events": events}
		maps.Copy(object, m)
		return json.NewEncoder(r.Out).Encode(object)
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(r.Out, "%s: %v\n", name, m[name])
	}
	for _, e := range events {
		fmt.Fprintf(r.Out, "appended %s\n", e.Name)
	}
	if len(events) == 0 {
		fmt.Fprintln(r.Out, "nothing to change")
	}
	return nil
}
