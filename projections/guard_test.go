package projections_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/projectionstest"
)

// vault keeps no password.
type vault struct{}

func (vault) Keep(context.Context, string, staff.ID, string) (staff.PasswordSet, error) {
	return staff.PasswordSet{Credential: staff.CredentialID{UUID: event.NewID()}}, nil
}

func (vault) Discard(context.Context, string, staff.ID, staff.CredentialID) error { return nil }

// managed is a day at which practices have managers.
type managed struct {
	*day
	desk commands.Desk
}

func newManaged(t *testing.T, db *postgrestest.Database) *managed {
	t.Helper()
	d := &day{projectionstest.On(t, db)}
	return &managed{d, commands.Desk{Store: d.Store, Staff: projections.Staff{DB: d.Pool}, Passwords: vault{}, Now: func() time.Time { return noon }}}
}

// practice registers a practice with so many managers, who can sign in, and a clinician.
func (m *managed) practice(t *testing.T, tenant string, managers int) (ids []staff.ID) {
	t.Helper()
	m.Happens(t, practice.StreamOf(tenant), practice.Registered{Name: tenant, TimeZone: "Europe/London"})
	for n := range managers {
		ids = append(ids, m.hire(t, tenant, manager(n), "maple kettle orbit", staff.Manager))
	}
	m.hire(t, tenant, "clinician", "maple kettle orbit", staff.Clinician)
	return ids
}

func manager(n int) string { return fmt.Sprintf("manager-%d", n) }

func (m *managed) hire(t *testing.T, tenant, username, password string, roles ...staff.Role) staff.ID {
	t.Helper()
	id, err := m.desk.RegisterStaff(t.Context(), commands.RegisterStaff{
		Tenant: tenant, Username: username, Name: username, Email: "a@example.org", Roles: roles, Password: password,
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// takings are the ways in which a member of staff stops being a manager who can sign
// in.
var takings = map[string]func(commands.Desk, context.Context, string, string) error{
	"roles": func(d commands.Desk, ctx context.Context, tenant, username string) error {
		return d.SetStaffRoles(ctx, commands.SetStaffRoles{Tenant: tenant, Username: username, Roles: staff.Roles{staff.Clinician}})
	},
	"deactivation": func(d commands.Desk, ctx context.Context, tenant, username string) error {
		return d.DeactivateStaff(ctx, commands.DeactivateStaff{Tenant: tenant, Username: username})
	},
	"reset": func(d commands.Desk, ctx context.Context, tenant, username string) error {
		_, err := d.ResetStaff(ctx, commands.ResetStaff{Tenant: tenant, Username: username})
		return err
	},
}

func TestPracticeKeepsLastManager_D63(t *testing.T) {
	t.Parallel()
	m := newManaged(t, postgrestest.New(t))
	for name, take := range takings {
		ids := m.practice(t, name, 2)
		inPerson := as(t.Context(), event.Staff(ids[0].UUID))
		m.hire(t, name, "invited", "", staff.Manager) // has no password yet
		for _, username := range []string{"clinician", manager(1)} {
			if err := take(m.desk, inPerson, name, username); err != nil {
				t.Errorf("%s of %s: %v", name, username, err)
			}
		}
		before := m.count(t)
		if err := take(m.desk, inPerson, name, manager(0)); !errors.Is(err, staff.ErrLastManager) || m.count(t) != before {
			t.Errorf("%s of the last manager: %v, %d events", name, err, m.count(t)-before)
		}
		asManager := as(t.Context(), event.Operator("frontdesk_app", "alice@desk7").ActingFor(ids[0].UUID))
		if err := take(m.desk, asManager, name, manager(0)); err != nil {
			t.Errorf("%s of the last manager by an operator: %v", name, err)
		}
	}
}

func (m *managed) count(t *testing.T) (events int) {
	t.Helper()
	if err := m.Pool.QueryRow(t.Context(), `SELECT count(*) FROM events`).Scan(&events); err != nil {
		t.Fatal(err)
	}
	return events
}

// commitsWait delays the commit of changes to staff while another session holds the
// lock.
const commitsWait = `
CREATE FUNCTION wait_to_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(190019); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER wait_to_commit AFTER UPDATE ON staff DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_to_commit()`

// Each manager removes the next one, and none commits before all have begun: one
// manager is left.
func TestConcurrentRemovalKeepsManager_D63(t *testing.T) {
	t.Parallel()
	const managers = 3
	db := postgrestest.New(t)
	m, looks := newManaged(t, db), db.AdminPool(t)
	ids := m.practice(t, elm, managers)
	if _, err := looks.Exec(t.Context(), commitsWait); err != nil {
		t.Fatal(err)
	}
	holder, err := looks.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.Exec(t.Context(), `SELECT pg_advisory_xact_lock(190019)`); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	outcomes := make(chan error, managers)
	for n, way := range []string{"roles", "deactivation", "reset"} {
		group.Go(func() {
			outcomes <- takings[way](m.desk, as(t.Context(), event.Staff(ids[n].UUID)), elm, manager((n+1)%managers))
		})
	}
	wantWaiting(t, looks, managers)
	if err := holder.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	group.Wait()
	close(outcomes)
	m.wantOneLeft(t, outcomes)
}

// wantWaiting returns once so many sessions of the database wait for a lock.
func wantWaiting(t *testing.T, looks *pgxpool.Pool, sessions int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for waiting := 0; waiting < sessions; {
		err := looks.QueryRow(ctx, `
			SELECT count(DISTINCT pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
			WHERE NOT granted AND datname = current_database()`).Scan(&waiting)
		if err != nil {
			t.Fatalf("%d sessions wait: %v", waiting, err)
		}
	}
}

func (m *managed) wantOneLeft(t *testing.T, outcomes <-chan error) {
	t.Helper()
	refused := 0
	for err := range outcomes {
		switch {
		case errors.Is(err, staff.ErrLastManager):
			refused++
		case err != nil:
			t.Error(err)
		}
	}
	if left := m.managers(t, elm); left != 1 || refused != 1 {
		t.Errorf("%d managers are left, %d were refused", left, refused)
	}
}

func (m *managed) managers(t *testing.T, tenant string) (n int) {
	t.Helper()
	people, err := projections.People{DB: m.Pool}.List(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range people {
		if p.SignsIn && p.Roles.Has(staff.Manager) {
			n++
		}
	}
	return n
}
