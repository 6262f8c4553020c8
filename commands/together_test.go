package commands_test

import (
	"context"
	"errors"
	"testing"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// registerAndSet registers a practice and sets hours, which needs the practice.
func registerAndSet(ctx context.Context, desk commands.Desk, hours string) error {
	if err := desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "elm", Name: "Elm"}); err != nil {
		return err
	}
	return desk.SetOpeningHours(ctx, commands.SetOpeningHours{Tenant: "elm", RequestType: request.Medical, Hours: []string{hours}})
}

func TestTogetherIsAtomic_D107(t *testing.T) {
	t.Parallel()
	store := commandtest.NewStore()
	counted := &countingStore{Store: store}
	desk := commands.Desk{Store: counted}
	_, err := commands.Together(t.Context(), desk, func(ctx context.Context, desk commands.Desk) error {
		return registerAndSet(ctx, desk, "mon 8")
	})
	if err == nil || len(store.Log()) != 0 {
		t.Errorf("refused half-way with %v, it has stored %d events", err, len(store.Log()))
	}
	happened, err := commands.Together(t.Context(), desk, func(ctx context.Context, desk commands.Desk) error {
		return registerAndSet(ctx, desk, "mon 08:00-12:00")
	})
	if err != nil || len(happened) != 2 || len(store.Log()) != 2 || counted.appends != 1 {
		t.Errorf("%d events happened, %d are stored by %d appends, error %v", len(happened), len(store.Log()), counted.appends, err)
	}
	happened, err = commands.Together(t.Context(), desk, func(context.Context, commands.Desk) error { return nil })
	if err != nil || len(happened) != 0 || counted.appends != 1 {
		t.Errorf("nothing is done by %d appends, error %v", counted.appends, err)
	}
}

// A later intent finds the stream that an earlier one has begun.
func TestTogetherSeesBegunStreams(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	happened, err := commands.Together(t.Context(), commands.Desk{Store: s, Patients: s}, func(ctx context.Context, desk commands.Desk) error {
		main, err := desk.AddSite(ctx, commands.AddSite{Tenant: elm, Name: "Main"})
		if err != nil {
			return err
		}
		return desk.RenameSite(ctx, commands.RenameSite{Tenant: elm, Site: main, Name: "Annexe"})
	})
	if err != nil || len(happened) != 2 {
		t.Errorf("happened: %v (%v)", happened, err)
	}
}

// After a conflict all decisions run again.
func TestTogetherRetriesAfterConflict_D107(t *testing.T) {
	t.Parallel()
	store := commandtest.NewStore()
	attempts := 0
	_, err := commands.Together(t.Context(), commands.Desk{Store: store}, func(ctx context.Context, desk commands.Desk) error {
		err := desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "elm", Name: "Elm"})
		if attempts++; attempts == 1 { // another writer is faster
			_, err := store.Append(ctx, event.Change{Stream: practice.StreamOf("elm"), Events: []event.Event{practice.Registered{Name: "Oak", TimeZone: "UTC"}}})
			return err
		}
		return err
	})
	if attempts != 2 || !errors.Is(err, practice.ErrTenantTaken) {
		t.Errorf("after %d attempts: %v", attempts, err)
	}
}

// countingStore counts appends.
type countingStore struct {
	commands.Store
	appends int
}

func (s *countingStore) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	s.appends++
	return s.Store.Append(ctx, changes...)
}
