package eventstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// The view history shows whether the database is still in the history that the
// sequencer's row names. Each election reads it, and so does each claim of a delivery:
// a standby that has just been promoted places and sends nothing before a new epoch has
// begun (D49).

// memory is how far a sequencer has seen the log come. Only a process that served before
// the log lost its end knows how much is missing.
type memory struct {
	mu   sync.Mutex
	mark epoch.Mark
}

func (m *memory) recall() epoch.Mark {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mark
}

// note returns the earlier mark.
func (m *memory) note(now epoch.Mark) (before epoch.Mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before = m.mark
	if now.Epoch > before.Epoch || now.Epoch == before.Epoch && now.Head > before.Head {
		m.mark = now
	}
	return before
}

// remember notes how far the log has come. If another sequencer has begun an epoch, the
// earlier mark of this one goes to the program's log: the event holds the other one's mark,
// which may be less.
func (s *Sequencer) remember(ctx context.Context, now epoch.Mark) {
	before := s.seen.note(now)
	if before.Epoch > 0 && now.Epoch > before.Epoch {
		s.Log.WarnContext(ctx, "another process has begun an epoch; compare the last position that this process saw with the one in the event",
			slog.Int("epoch", now.Epoch), slog.Int("seen_epoch", before.Epoch), slog.Int64("seen_idx", before.Head))
	}
}

// history is the sequencer's row, with the history that the database is in.
type history struct {
	log      epoch.Mark
	from, to epoch.History
	goesOn   bool
	epochs   int // how many events have begun one
}

const readHistory = `
SELECT epoch, head, system, relation, timeline, now_system, now_relation, now_timeline, goes_on,
	(SELECT count(*) FROM events WHERE tenant = '' AND stream = $1)
FROM history`

func (s *Sequencer) readHistory(ctx context.Context) (history, error) { return historyOf(ctx, s.Pool) }

func historyOf(ctx context.Context, db projections.Querier) (h history, err error) {
	err = db.QueryRow(ctx, readHistory, epoch.StreamOf().ID).Scan(&h.log.Epoch, &h.log.Head, &h.from.System, &h.from.Table, &h.from.Timeline,
		&h.to.System, &h.to.Table, &h.to.Timeline, &h.goesOn, &h.epochs)
	if err != nil {
		return history{}, fmt.Errorf("read the history of the log: %w", err)
	}
	return h, nil
}

const epochLimit = 5 * time.Minute // one transaction places all waiting events

// beginEpoch moves the sequencer's row into the history that the database is in, and
// returns the head of the log. It places the event that records this, and then all visible
// events: survivors of the lost end may have been sent in the other history, so they count
// as sent. It returns 0 if another process was faster.
func (s *Sequencer) beginEpoch(ctx context.Context) (head int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, epochLimit)
	defer cancel()
	found, err := s.readHistory(ctx)
	if err != nil || found.goesOn {
		return 0, err
	}
	begun := epoch.Begin(found.log, s.seen.recall(), found.from, found.to)
	batch, err := s.entering(begun, found.epochs, &head)
	if err != nil {
		return 0, err
	}
	err = postgres.On(s.Pool).ExecBatch(ctx, batch)
	if errors.Is(err, event.ErrConflict) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("begin an epoch: %w", err)
	}
	s.Log.ErrorContext(ctx, "the log goes on in another history: a new epoch has begun", slog.Any("event", begun))
	s.seen.note(epoch.Mark{Epoch: begun.Epoch, Head: head})
	return head, nil
}

// EnterEpoch begins the epoch of a database that was recovered or promoted, as the first
// sequencer of a serving process would, and returns the log's epoch and head. It begins none
// where the log goes on.
func (s *Sequencer) EnterEpoch(ctx context.Context) (epoch.Mark, error) {
	if _, err := s.beginEpoch(ctx); err != nil {
		return epoch.Mark{}, err
	}
	now, err := s.readHistory(ctx)
	return now.log, err
}

// entering appends the event behind the others of its stream, and enters the epoch. Its
// actor is the service, not the caller whose append is under way.
func (s *Sequencer) entering(begun epoch.Begun, version int, head *int64) (*pgx.Batch, error) {
	batch, err := s.appending(begun, version, event.Service("frontdesk"))
	if err != nil {
		return nil, err
	}
	batch.Queue(`SELECT begin_epoch($1, $2, $3, $4)`, epoch.StreamOf().ID, version+1, s.Batch, begun.Complete(s.Durability == postgres.Synchronous)).
		QueryRow(func(row pgx.Row) error { return row.Scan(head) })
	return batch, nil
}

// appending appends an epoch's event behind so many others of its stream.
func (s *Sequencer) appending(begun epoch.Begun, version int, by event.Actor) (*pgx.Batch, error) {
	codec, err := event.NewCodec(epoch.Events()...)
	if err != nil {
		return nil, err
	}
	store := Store{Codec: codec, Now: s.Now}
	recorded := store.record(event.Metadata{Actor: by},
		[]event.Change{{Stream: epoch.StreamOf(), Expected: version, Events: []event.Event{begun}}})
	events, _, err := store.write(context.Background(), recorded) // with nothing to seal
	if err != nil {
		return nil, err
	}
	return batchOf([]*member{memberOf(events)}, nil), nil
}

// An event of an epoch that the log is not in begins none: the serving role can append one,
// even one that is no JSON.
const readEpoch = `
SELECT epoch, coalesce((SELECT min(idx) - 1 FROM events JOIN log USING (position)
	WHERE tenant = '' AND stream = $2 AND substring(data FROM '"epoch": *([0-9]{1,10})[,}]')::bigint BETWEEN $1::bigint + 1 AND epoch), head)
FROM sequencer`

// Epoch returns the epoch that the log is in, and the last idx that means the same
// event as it did in an earlier one. A reader of the earlier one resumes there.
func (l Log) Epoch(ctx context.Context, earlier int) (now int, lastKnown int64, err error) {
	if err := l.DB.QueryRow(ctx, readEpoch, earlier, epoch.StreamOf().ID).Scan(&now, &lastKnown); err != nil {
		return 0, 0, fmt.Errorf("read the epoch of the log: %w", err)
	}
	return now, lastKnown, nil
}

// DeclareEpoch begins an epoch at an operator's request, as the owner of the database.
// at is its number, and 0 the next one. Pending deliveries are no longer sent, as after
// every restore (D49, D77).
func (s *Sequencer) DeclareEpoch(ctx context.Context, at int, reason string, by event.Actor) (begun epoch.Begun, err error) {
	ctx, cancel := context.WithTimeout(ctx, epochLimit)
	defer cancel()
	err = postgres.On(s.Pool).InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM sequencer FOR UPDATE`); err != nil {
			return err
		}
		found, err := historyOf(ctx, tx)
		if err != nil {
			return err
		}
		if begun, err = epoch.Declare(found.log, at, reason); err != nil {
			return err
		}
		batch, err := s.appending(begun, found.epochs, by)
		if err != nil {
			return err
		}
		batch.Queue(`SELECT declare_epoch($1, $2, $3)`, epoch.StreamOf().ID, found.epochs+1, s.Batch)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return epoch.Begun{}, fmt.Errorf("begin an epoch (run this as the owner of the database): %w", err)
	}
	return begun, nil
}
