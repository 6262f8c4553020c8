package eventstore

import (
	"context"
	"log/slog"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/background"
	"frontdesk/projections"
)

// Comparer keeps comparing events with the log, a range of positions at a time, and
// reports differences as a metric. One process is enough; several do no harm.
type Comparer struct {
	db      projections.Querier
	log     *slog.Logger
	missing *prometheus.GaugeVec
	below   int64          // the older positions are compared next up to here; if none are left, from the end on
	known   map[int64]Loss // the differences, by position, as the last comparison found them
}

const (
	compareEvery = 5 * time.Second
	compareLimit = 10 * time.Second // for one look
	compareWidth = 10_000           // positions: so a million events take eight minutes
	lossesKept   = 10_000           // further ones are not counted
)

// NewComparer registers the metric.
func NewComparer(db projections.Querier, registry prometheus.Registerer, log *slog.Logger) *Comparer {
	c := &Comparer{db: db, log: log, known: map[int64]Loss{}, missing: prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "frontdesk_log_missing_events",
		Help: "Stored events that are missing from the log for good, and places in the log that are missing from the events.",
	}, []string{"missing_from"})}
	registry.MustRegister(c.missing)
	return c
}

// Run compares until ctx ends.
func (c *Comparer) Run(ctx context.Context) {
	background.Loop{Every: compareEvery, Do: c.Look, Fails: "events could not be compared with the log", Log: c.log}.Run(ctx)
}

// Look compares the newest positions, and the next ones of all the others.
func (c *Comparer) Look(ctx context.Context) error {
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
func (c *Comparer) note(ctx context.Context, w window) {
	before := map[int64]Loss{}
	for position, loss := range c.known {
		if w.after < position && position <= w.upTo {
			before[position] = loss
			delete(c.known, position)
		}
	}
	logged := false
	for _, loss := range w.lost {
		if len(c.known) == lossesKept {
			break
		}
		c.known[loss.Position] = loss
		if _, old := before[loss.Position]; !old && !logged {
			logged = true
			c.log.ErrorContext(ctx, "events and log differ: something is lost", slog.Int64("positions", w.n), slog.Any("first", loss))
		}
	}
}

func (c *Comparer) show() {
	fromLog := 0
	for _, loss := range c.known {
		if loss.Idx == 0 {
			fromLog++
		}
	}
	c.missing.WithLabelValues("log").Set(float64(fromLog))
	c.missing.WithLabelValues("events").Set(float64(len(c.known) - fromLog))
}
