package eventstore

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
)

// Moment is a range of the log, with the state of the log when it was read. One statement
// reads all of it, so that no event is taken for one of another epoch.
type Moment struct {
	Epoch  int
	Head   int64
	Before uuid.UUID      // of the event before the first of these; zero if there is none
	Events []event.Stored // without their boxes; none at the end of the log
}

const readMoment = `
SELECT s.epoch, s.head,
	coalesce((SELECT id FROM log JOIN events USING (position) WHERE idx = $1), '00000000-0000-0000-0000-000000000000'), coalesce(e.idx, 0), ` + ofStored + `
FROM sequencer s LEFT JOIN LATERAL (SELECT e.*` + afterIdx + `$2` + upToBytes + `) e ON true
ORDER BY e.idx`

// Moment reads the events after an idx, up to a number of events and about a number of bytes.
// It ends before a [Hole], and returns it as the error if it begins there.
func (l Log) Moment(ctx context.Context, after int64, most, bytes int) (now Moment, err error) {
	rows, _ := l.DB.Query(ctx, readMoment, after, most, bytes)
	var s event.Stored
	var missing error
	_, err = pgx.ForEachRow(rows, append([]any{&now.Epoch, &now.Head, &now.Before}, into(&s)...), func() error {
		missing = now.add(s, after, missing)
		s = event.Stored{}
		return nil
	})
	if err != nil {
		return Moment{}, err
	}
	if len(now.Events) > 0 {
		missing = nil
	}
	return now, missing
}

// add adds an event unless there is none, or something is missing before it.
func (m *Moment) add(s event.Stored, after int64, missing error) error {
	if s.Idx == 0 || missing != nil {
		return missing
	}
	s.At = s.At.UTC()
	if missing = continues(s, after+int64(len(m.Events))+1); missing == nil {
		m.Events = append(m.Events, s)
	}
	return missing
}

const readBeginnings = `
SELECT (SELECT epoch FROM sequencer), idx, data FROM events JOIN log USING (position) WHERE tenant = '' AND stream = $1 ORDER BY idx`

// Beginning is where an epoch of the log begins.
type Beginning struct {
	Epoch int
	Idx   int64 // of the event that records it
}

// Beginnings returns where the second epoch of the log began, and each one after it.
// The serving role can append an event of an epoch that the log is not in, which begins none.
func (l Log) Beginnings(ctx context.Context) (all []Beginning, err error) {
	rows, _ := l.DB.Query(ctx, readBeginnings, epoch.StreamOf().ID)
	var now, last int
	var idx int64
	var data []byte
	_, err = pgx.ForEachRow(rows, []any{&now, &idx, &data}, func() error {
		var begun epoch.Begun
		if json.Unmarshal(data, &begun) == nil && begun.Epoch > max(1, last) && begun.Epoch <= now {
			last = begun.Epoch
			all = append(all, Beginning{begun.Epoch, idx})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the epochs of the log: %w", err)
	}
	return all, nil
}

// LogState is the state of the log, for a signer.
type LogState struct {
	Head      int64
	Epoch     int
	Standby   bool // the server takes no writes; nothing else is known of it then
	Elsewhere bool // the database is in another history, whose epoch has not begun yet
}

const readState = `SELECT head, epoch, NOT goes_on FROM history`

// State returns the state of the log.
func (l Log) State(ctx context.Context) (state LogState, err error) {
	if err := l.DB.QueryRow(ctx, `SELECT pg_is_in_recovery()`).Scan(&state.Standby); err != nil {
		return state, fmt.Errorf("ask whether this is a standby: %w", err)
	}
	if state.Standby {
		return state, nil
	}
	if err := l.DB.QueryRow(ctx, readState).Scan(&state.Head, &state.Epoch, &state.Elsewhere); err != nil {
		return state, fmt.Errorf("ask how the log stands: %w", err)
	}
	return state, nil
}
