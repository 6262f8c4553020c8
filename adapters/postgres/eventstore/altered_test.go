package eventstore_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/proof"
)

// altering are statements of a superuser that change or drop the events whose data holds
// "altered".
var altering = map[string]string{
	"drops an event":        `RETURN NULL`,
	"changes data":          `NEW.data := replace(NEW.data, 'altered', 'Altered')`,
	"changes metadata":      `NEW.metadata := '{"actor":{"kind":"service"}}'`,
	"changes a box":         `NEW.sealed := '\x00'`,
	"changes an identifier": `NEW.id := gen_random_uuid()`,
	"changes a stream":      `NEW.stream := gen_random_uuid()`,
	"changes a version":     `NEW.version := NEW.version + 1`,
	"changes a practice":    `NEW.tenant := 'oak-lane'`,
	"changes a name":        `NEW.name := 'test.counted.v1'`,
	"changes a patient":     `NEW.patient := gen_random_uuid()`,
	"changes a time":        `NEW.recorded_at := NEW.recorded_at - interval '1 day'`,
}

func trigger(does string) string {
	return `CREATE SCHEMA IF NOT EXISTS altering; GRANT USAGE ON SCHEMA altering TO PUBLIC;
		CREATE FUNCTION altering.event() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ` + does + `; RETURN NEW; END $$;
		CREATE TRIGGER altering BEFORE INSERT ON events FOR EACH ROW WHEN (NEW.data LIKE '%altered%') EXECUTE FUNCTION altering.event()`
}

// noted are n events, of which the last one is altered.
func noted(n int) (events []event.Event) {
	for range n - 1 {
		events = append(events, eventtest.Noted{Note: "kept"})
	}
	return append(events, eventtest.Noted{Note: "altered"})
}

func TestAlteredEventIsRefused_D138(t *testing.T) {
	t.Parallel()
	for name, does := range altering {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := postgrestest.New(t)
			e := engineOn(t, db.URL)
			stream := enginetest.NewStream()
			e.Append(t, stream, 0, eventtest.Noted{Note: "kept"})
			enginetest.MustExec(t, db.SuperuserPool(t), trigger(does))
			for what, change := range map[string]event.Change{
				"a first event":          {Stream: enginetest.NewStream(), Events: noted(1)},
				"a stream":               {Stream: enginetest.NewStream(), Events: noted(3)},
				"the next of its stream": {Stream: stream, Expected: 1, Events: noted(2)},
			} {
				if _, err := e.Store.Append(t.Context(), change); !errors.Is(err, postgres.ErrAltered) || errors.Is(err, event.ErrConflict) {
					t.Errorf("%s: %v, want %v", what, err, postgres.ErrAltered)
				}
			}
			if n := e.count(t, "events"); n != 1 {
				t.Errorf("%d events are stored, want the one of before", n)
			}
			if n := e.Store.Altered.Load(); n != 3 {
				t.Errorf("%d appends are counted as altered, want 3", n)
			}
		})
	}
}

// A rule rewrites the statement, so Postgres may refuse it before anything is compared.
func TestRuleThatDropsEventsIsRefused_D138(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{
		`CREATE RULE altering AS ON INSERT TO events DO INSTEAD NOTHING`,
		`CREATE RULE altering AS ON INSERT TO events WHERE NEW.data LIKE '%altered%' DO INSTEAD NOTHING`,
	} {
		db := postgrestest.New(t)
		e := engineOn(t, db.URL)
		enginetest.MustExec(t, db.SuperuserPool(t), rule)
		for n := range 2 {
			if _, err := e.Store.Append(t.Context(), event.Change{Stream: enginetest.NewStream(), Events: noted(n + 1)}); err == nil {
				t.Errorf("%s: an append of %d events is acknowledged", rule, n+1)
			}
		}
	}
}

// The column's collation does not decide what is equal.
func TestAlteredLettersDiffer_D138(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	enginetest.MustExec(t, db.SuperuserPool(t), `CREATE COLLATION fold (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
		ALTER TABLE events ALTER COLUMN data TYPE text COLLATE fold;
		CREATE FUNCTION altering() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.data := upper(NEW.data COLLATE "C"); RETURN NEW; END $$;
		CREATE TRIGGER altering BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION altering()`)
	for n := range 2 {
		if _, err := e.Store.Append(t.Context(), event.Change{Stream: enginetest.NewStream(), Events: noted(n + 1)}); !errors.Is(err, postgres.ErrAltered) {
			t.Errorf("an append of %d events: %v, want %v", n+1, err, postgres.ErrAltered)
		}
	}
}

// A longer text would be hashed with a length that is cut, so two events could have one leaf.
func TestTextThatNoLeafHoldsIsRefused_D138(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	stream := enginetest.NewStream()
	stream.Tenant = strings.Repeat("x", 1<<16)
	if _, err := e.Store.Append(t.Context(), event.Change{Stream: stream, Events: noted(1)}); !errors.Is(err, proof.ErrTextTooLong) {
		t.Errorf("an append for a practice with a name of %d bytes: %v", len(stream.Tenant), err)
	}
	if n := e.count(t, "events"); n != 0 {
		t.Errorf("%d events are stored", n)
	}
	stream.Tenant = stream.Tenant[1:]
	e.Append(t, stream, 0, noted(1)...)
}

// The difference of one member does not become the success of a group, and the others are
// stored.
func TestAlteredMemberLeavesItsGroup_D138(t *testing.T) {
	t.Parallel()
	for _, does := range []string{altering["drops an event"], altering["changes data"]} {
		c := newCrowd(t, "", func(e *engine) {
			super := e.Pool.Config().ConnConfig.Copy()
			super.User = embedded.Superuser
			conn, err := pgx.ConnectConfig(t.Context(), super)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(t.Context())
			if _, err := conn.Exec(t.Context(), trigger(does)); err != nil {
				t.Fatal(err)
			}
		})
		outcomes := c.join(t.Context(), t, "a", "altered", "b")
		c.letGo()
		for n, outcome := range outcomes {
			if err := <-outcome; errors.Is(err, postgres.ErrAltered) != (n == 1) || n != 1 && err != nil {
				t.Errorf("append %d: %v", n, err)
			}
		}
		c.ahead.Wait()
		if n := c.transactions(t, "altered"); n != 0 {
			t.Error("a row of the append that was altered is stored")
		}
		if n := c.transactions(t, "b"); n != 1 {
			t.Errorf("another append of the group is stored in %d transactions, want 1", n)
		}
	}
}
