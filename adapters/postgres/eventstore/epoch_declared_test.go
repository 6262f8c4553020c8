package eventstore_test

import (
	"errors"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// Restored files of a database look as they did before, so an operator declares the epoch.
// No event that is being written meanwhile is lost.
func TestAnOperatorBeginsAnEpoch_D77(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.AppendMany(t, 10)
	e.Drain(t)
	late, err := e.Pool.Begin(t.Context()) // draws its position before the epoch, and commits after it
	if err != nil {
		t.Fatal(err)
	}
	stream := enginetest.NewStream()
	if _, err := late.Exec(t.Context(), `INSERT INTO events (id, tenant, stream, version, name, data, metadata, recorded_at)
		VALUES (gen_random_uuid(), '', $1, 1, $2, '{"n":1}', '{"actor":{"kind":"service","id":"x"}}', now())`, stream.ID, eventtest.Counted{}.EventName()); err != nil {
		t.Fatal(err)
	}
	owner := eventstore.NewSequencer(db.AdminPool(t), nil, nil, nil)
	by := event.Operator("owner", "anna@desk7")
	begun, err := owner.DeclareEpoch(t.Context(), 0, " The volume was put back as of Friday. ", by)
	if err != nil || begun.Epoch != 2 || begun.LastKnown != 10 {
		t.Fatalf("begun %+v, %v", begun, err)
	}
	if err := late.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.Append(t, enginetest.NewStream(), 0, eventtest.Counted{N: 3})
	e.Drain(t)
	if log := e.Logged(t); len(log) != 13 {
		t.Fatalf("%d events are in the log, want 13: the late one is lost", len(log))
	}
	e.wantEpochs(t, map[int64]epoch.Begun{11: {Epoch: 2, Cause: epoch.Restore, LastKnown: 10}})
	if log := e.Logged(t); log[10].Metadata.Actor != by || log[10].Event.(epoch.Begun).Reason != "The volume was put back as of Friday." {
		t.Errorf("the event is %+v by %s", log[10].Event, log[10].Metadata.Actor)
	}
	if e.unsentUpTo(t) != 11 {
		t.Errorf("nothing is sent up to idx %d, want 11", e.unsentUpTo(t))
	}
	if begun, err := owner.DeclareEpoch(t.Context(), 7, "The signer had seen six.", by); err != nil || begun.Epoch != 7 {
		t.Errorf("begun %+v, %v", begun, err)
	}
	if _, err := owner.DeclareEpoch(t.Context(), 7, "Again.", by); !errors.Is(err, epoch.ErrEpochOver) {
		t.Errorf("the same epoch again: %v", err)
	}
	if _, err := e.Sequencer().DeclareEpoch(t.Context(), 0, "I may not.", by); !strings.Contains(enginetest.Text(err), "permission denied") {
		t.Errorf("the serving role begins an epoch: %v", err)
	}
	rewind(t, db, 6, 0) // the sequencer notices on its own
	if _, err := owner.DeclareEpoch(t.Context(), 0, "Too early.", by); !strings.Contains(enginetest.Text(err), "the service begins this epoch by itself") {
		t.Errorf("in another history: %v", err)
	}
}
