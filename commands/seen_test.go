package commands_test

import (
	"errors"
	"maps"
	"reflect"
	"testing"

	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// An act is refused if the stream has changed since the actor saw it.
func TestSeenIntentsRefuseChangedStream(t *testing.T) {
	t.Parallel()
	var heeding []string
	for method := range reflect.TypeFor[commands.Desk]().Methods() {
		if method.Type.NumIn() != 3 {
			continue
		}
		seen, has := method.Type.In(2).FieldByName("Seen")
		if !has {
			continue
		}
		heeding = append(heeding, method.Name)
		w := newTown(t)
		before := w.streams()
		err := w.attempt(t, method.Name, func(intent reflect.Value, _ []reflect.Value) { intent.FieldByIndex(seen.Index).SetInt(99) })
		changed := errors.Is(err, request.ErrChanged) || errors.Is(err, appointment.ErrChanged) || errors.Is(err, patient.ErrChanged) ||
			errors.Is(err, practice.ErrInformationChanged) || errors.Is(err, staff.ErrRuleChanged) || errors.Is(err, staff.ErrTeamChanged)
		if !changed || !maps.Equal(before, w.streams()) {
			t.Errorf("%s: error = %v, want ErrChanged", method.Name, err)
		}
	}
	if len(heeding) < 10 {
		t.Errorf("only %v have a field Seen", heeding)
	}
}
