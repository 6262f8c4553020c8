package eventstore

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/background"
	"frontdesk/projections"
)

// Every stored event is in the log, will be, or is in a gap that the sequencer still
// watches. An event outside of all three would be lost silently: a sequence that was moved
// back or caches numbers causes that, and so does a DELETE from the log.

// MissingEvent is one position on which events and log differ for good.
type MissingEvent struct {
	Position int64     `json:"position"`
	ID       uuid.UUID `json:"id,omitzero"`   // of the event, if the log lacks it
	Idx      int64     `json:"idx,omitempty"` // of the place in the log, if its event is missing
}

// String names the loss by the keys to look it up.
func (l MissingEvent) String() string {
	if l.Idx > 0 {
		return fmt.Sprintf("the event of idx %d, which had position %d, is not stored", l.Idx, l.Position)
	}
	return fmt.Sprintf("event %s, at position %d, is not in the log", l.ID, l.Position)
}

// MissingEvents are all positions on which events and log differ.
type MissingEvents struct {
	Count int64          `json:"count"`
	First []MissingEvent `json:"first"` // the lowest few; empty, and not nil, if there is none
}

// missingNamed is the number of losses in First.
const missingNamed = 10

// Err is nil if nothing is lost, and names the first few otherwise.
func (l MissingEvents) Err() error {
	if l.Count == 0 {
		return nil
	}
	named := make([]string, len(l.First))
	for i, loss := range l.First {
		named[i] = loss.String()
	}
	return fmt.Errorf("events and log differ at %d positions: %s", l.Count, strings.Join(named, "; "))
}

// mayStillBePlaced holds for a stored event that is not in the log and is not lost: the
// sequencer has not reached it, or has it among its gaps.
const mayStillBePlaced = `(stored > (SELECT reached FROM sequencer) OR (SELECT gaps FROM sequencer) @> stored
	OR EXISTS (SELECT FROM old_gaps WHERE stored BETWEEN first AND last))`

// missingBetween compares events with the log after one position and up to another, in one
// snapshot. Only positions are compared, which the indexes hold.
const missingBetween = `
SELECT position, coalesce((SELECT id FROM events WHERE position = lost.position), '00000000-0000-0000-0000-000000000000'),
	coalesce((SELECT idx FROM log WHERE position = lost.position), 0), n
FROM (
	SELECT coalesce(stored, placed) AS position, count(*) OVER () AS n
	FROM (SELECT position AS stored FROM events WHERE position > $1 AND position <= $2) e
	FULL JOIN (SELECT position AS placed FROM log WHERE position > $1 AND position <= $2) l ON stored = placed
	WHERE stored IS NULL OR placed IS NULL AND NOT ` + mayStillBePlaced + `
	ORDER BY 1 LIMIT 1000) lost
ORDER BY position`

// highestPosition finds the next position to compare, so that a sequence that has jumped
// costs nothing.
const highestPosition = `
SELECT coalesce(greatest((SELECT max(position) FROM events WHERE position <= $1), (SELECT max(position) FROM log WHERE position <= $1)), 0)`

// window is a range of positions, and the differences in it.
type window struct {
	after, upTo int64
	lost        []MissingEvent // the lowest thousand
	n           int64          // of all that differ
}

// windowBelow compares the highest so many positions, up to one. After the last window
// its after is not above 0.
func windowBelow(ctx context.Context, db projections.Querier, highest, width int64) (w window, err error) {
	if err := db.QueryRow(ctx, highestPosition, highest).Scan(&w.upTo); err != nil {
		return w, fmt.Errorf("compare events with the log: %w", err)
	}
	if w.after = w.upTo - width; w.after <= 0 {
		w.after = math.MinInt64 // an operator may have written there
	}
	rows, _ := db.Query(ctx, missingBetween, w.after, w.upTo)
	w.lost, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (l MissingEvent, err error) {
		return l, row.Scan(&l.Position, &l.ID, &l.Idx, &w.n)
	})
	if err != nil {
		return w, fmt.Errorf("compare events with the log: %w", err)
	}
	return w, nil
}

// MissingEvents compares all events with the log, in stretches of a hundred thousand positions.
func (l Log) MissingEvents(ctx context.Context) (MissingEvents, error) {
	all := MissingEvents{First: []MissingEvent{}}
	for highest := int64(math.MaxInt64); highest > 0; {
		w, err := windowBelow(ctx, l.DB, highest, 100_000)
		if err != nil {
			return MissingEvents{}, err
		}
		all.Count += w.n
		all.First = append(w.lost, all.First...)
		all.First = all.First[:min(len(all.First), missingNamed)]
		highest = w.after
	}
	return all, nil
}

// ConsistencyCheck keeps comparing events with the log, a range of positions at a time, and
// reports differences as a metric. One process is enough; several do no harm.
type ConsistencyCheck struct {
	db      projections.Querier
	log     *slog.Logger
	missing *prometheus.GaugeVec
	below   int64                  // the older positions are compared next up to here; if none are left, from the end on
	known   map[int64]MissingEvent // the differences, by position, as the last comparison found them
}

const (
	compareEvery = 5 * time.Second
	compareLimit = 10 * time.Second // for one look
	compareWidth = 10_000           // positions: so a million events take eight minutes
	missingKept  = 10_000           // further ones are not counted
)

// NewConsistencyCheck registers the metric.
func NewConsistencyCheck(db projections.Querier, registry prometheus.Registerer, log *slog.Logger) *ConsistencyCheck {
	c := &ConsistencyCheck{db: db, log: log, known: map[int64]MissingEvent{}, missing: prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "frontdesk_log_missing_events",
		Help: "Stored events that are missing from the log for good, and places in the log that are missing from the events.",
	}, []string{"missing_from"})}
	registry.MustRegister(c.missing)
	return c
}

// Run compares until ctx ends.
func (c *ConsistencyCheck) Run(ctx context.Context) {
	background.Loop{Every: compareEvery, Do: c.Compare, Fails: "events could not be compared with the log", Log: c.log}.Run(ctx)
}

// Compare compares the newest positions, and the next ones of all the others.
func (c *ConsistencyCheck) Compare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, compareLimit)
	defer cancel()
	newest, err := windowBelow(ctx, c.db, math.MaxInt64, compareWidth)
	if err != nil {
		return err
	}
	c.note(ctx, newest)
	if c.below <= 0 {
		c.below = newest.after
	}
	if c.below > 0 {
		older, err := windowBelow(ctx, c.db, c.below, compareWidth)
		if err != nil {
			return err
		}
		older.upTo, c.below = max(older.upTo, c.below), older.after
		c.note(ctx, older)
	}
	c.show()
	return nil
}

// note replaces the known differences of a window. New ones go to the program's log.
func (c *ConsistencyCheck) note(ctx context.Context, w window) {
	before := map[int64]MissingEvent{}
	for position, loss := range c.known {
		if w.after < position && position <= w.upTo {
			before[position] = loss
			delete(c.known, position)
		}
	}
	logged := false
	for _, loss := range w.lost {
		if len(c.known) == missingKept {
			break
		}
		c.known[loss.Position] = loss
		if _, old := before[loss.Position]; !old && !logged {
			logged = true
			c.log.ErrorContext(ctx, "events and log differ: something is lost", slog.Int64("positions", w.n), slog.Any("first", loss))
		}
	}
}

func (c *ConsistencyCheck) show() {
	fromLog := 0
	for _, loss := range c.known {
		if loss.Idx == 0 {
			fromLog++
		}
	}
	c.missing.WithLabelValues("log").Set(float64(fromLog))
	c.missing.WithLabelValues("events").Set(float64(len(c.known) - fromLog))
}
