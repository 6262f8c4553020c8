package eventstore

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Watch reads the log as the read models show it: it passes an event once every read model
// that follows it has, in any process. It stores no offset, so a new one begins with recent
// events. Only one goroutine may use it.
type Watch struct {
	DB      projections.Querier
	Tail    *Tail
	Follows []event.Event // an event of each type that it returns; it skips all others
	Shows   []projections.Follower

	begun uuid.UUID // the event that began the epoch
	idx   int64
	named map[string][]int // by name of event: which read models follow it
}

// Sight is the result of one look of a [Watch].
type Sight struct {
	Reset  bool             // earlier looks no longer count: this is the first one, or the log goes on in another history
	From   int64            // the look covers everything after this idx up to Upto
	Upto   int64            // the last idx that the read models show
	Head   int64            // the last idx of the log
	Events []event.Recorded // in the order of the log, without personal values
}

// watchLimit is the time that one look may take.
const watchLimit = 5 * time.Second

// Look returns the events that the read models show since the last look, a page at most.
func (w *Watch) Look(ctx context.Context) (Sight, error) {
	ctx, cancel := context.WithTimeout(ctx, watchLimit)
	defer cancel()
	now, err := w.reached(ctx)
	if err != nil {
		return Sight{}, err
	}
	s := Sight{Reset: w.reset(now), From: w.idx, Head: now.head}
	var page []*tailed
	if now.head > w.idx {
		if page, err = w.Tail.page(ctx, w.DB, w.idx, w.begun); err != nil {
			return Sight{}, err
		}
	}
	s.Events = w.pass(page, now)
	s.Upto = w.idx
	return s, nil
}

// Shown returns an idx up to which the read models show everything, without reading the log.
func (w *Watch) Shown(ctx context.Context) (idx int64, err error) {
	if err := w.DB.QueryRow(ctx, readShown, w.consumers()).Scan(&idx); err != nil {
		return 0, fmt.Errorf("read how far the read models have come: %w", err)
	}
	return idx, nil
}

const readShown = `
SELECT least(s.head, (SELECT min(coalesce(f.idx, 0)) FROM unnest($1::text[]) AS c (name) LEFT JOIN feed_offsets f ON f.consumer = c.name))
FROM sequencer s`

// reached is how far the log has come, and each of the read models.
type reached struct {
	head    int64
	epoch   uuid.UUID
	offsets []int64
}

const readReached = `
SELECT s.head, ` + newestEpoch + `,
	coalesce((SELECT id FROM events WHERE position = (SELECT position FROM log WHERE idx = $3)), '00000000-0000-0000-0000-000000000000'),
	ARRAY(SELECT coalesce(f.idx, 0) FROM unnest($1::text[]) WITH ORDINALITY AS c (name, n) LEFT JOIN feed_offsets f ON f.consumer = c.name ORDER BY n)
FROM sequencer s`

// reached queries the database. The tail is valid as long as the database has the same event
// at its end.
func (w *Watch) reached(ctx context.Context) (now reached, err error) {
	known, stored := w.Tail.last(), uuid.UUID{}
	err = w.DB.QueryRow(ctx, readReached, w.consumers(), epoch.StreamOf().ID, known.idx).Scan(&now.head, &now.epoch, &stored, &now.offsets)
	if err != nil {
		return reached{}, fmt.Errorf("read how far the log has come: %w", err)
	}
	if known.id != stored {
		w.Tail.forget()
	}
	return now, nil
}

// reset reports whether the watch cannot continue from where it was. Then it begins with the
// newest events.
func (w *Watch) reset(now reached) bool {
	if w.named != nil && now.epoch == w.begun && w.idx <= now.head && now.head-w.idx <= tailEvents {
		return false
	}
	w.name()
	w.begun, w.idx = now.epoch, max(0, now.head-tailEvents)
	return true
}

// name notes the names of the events to return, and the followers of each.
func (w *Watch) name() {
	w.named = map[string][]int{}
	for _, e := range w.Follows {
		w.named[e.EventName()] = nil
	}
	for n, p := range w.Shows {
		for _, e := range p.Follows() {
			if followers, ok := w.named[e.EventName()]; ok {
				w.named[e.EventName()] = append(followers, n)
			}
		}
	}
}

// pass goes past the events of a page, up to the first that a read model does not show yet.
func (w *Watch) pass(page []*tailed, now reached) (seen []event.Recorded) {
	for _, e := range page {
		followers, named := w.named[e.Name]
		if e.Idx > now.head || !now.past(e.Idx, followers) {
			break
		}
		w.idx = e.Idx
		if !named {
			continue
		}
		if recorded, err := e.as(w.Tail.codec); err == nil { // an unreadable event is not reported
			seen = append(seen, recorded)
		}
	}
	return seen
}

// past reports whether read models have passed an idx.
func (r reached) past(idx int64, followers []int) bool {
	for _, n := range followers {
		if r.offsets[n] < idx {
			return false
		}
	}
	return true
}

func (w *Watch) consumers() []string {
	names := make([]string, len(w.Shows))
	for n, p := range w.Shows {
		names[n] = p.Name()
	}
	return names
}
