package sandbox

import (
	"path/filepath"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/appointment"
)

// A practice that is reset expects its patients as it did just after it was seeded: from the
// next full hour on.
func TestResetPracticeBooksFromNowOn_D96(t *testing.T) {
	t.Parallel()
	store, clock := commandtest.NewStore(), commandtest.NewClock(commandtest.Noon)
	desk := commands.Desk{Store: store, Patients: store, Now: clock.Now}
	ctx, file := t.Context(), filepath.Join(t.TempDir(), seedName)
	if err := desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: tenant, Name: "Sandbox Surgery"}); err != nil {
		t.Fatal(err)
	}
	s := seed{}
	var err error
	if s.Patients, err = plantPatients(ctx, desk); err != nil {
		t.Fatal(err)
	}
	if s.Day, err = plantDay(ctx, desk, s.Patients, clock.Now()); err != nil {
		t.Fatal(err)
	}
	clock.Pass(49*time.Hour + 20*time.Minute)
	for range 2 { // the second changes nothing
		if err := freshen(ctx, desk, file, &s, clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	var moved []time.Time
	for _, e := range store.Log() {
		if m, ok := e.Event.(appointment.Moved); ok {
			moved = append(moved, m.At)
		}
	}
	first := commandtest.Noon.Add(50 * time.Hour)
	if len(moved) != 2 || !moved[0].Equal(first) || !moved[1].Equal(first.Add(15*time.Minute)) {
		t.Errorf("moved to %v, want %v and a quarter past", moved, first)
	}
	var kept seed
	if err := readJSON(file, &kept); err != nil || !kept.Appointments[0].At.Equal(first) {
		t.Errorf("the seed has %+v (%v)", kept.Appointments, err)
	}
}
