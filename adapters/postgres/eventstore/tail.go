package eventstore

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/background"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Tail caches the newest events of the log for all its readers in a process, so that each
// event is read and decoded once. It grows as far as a reader asks. A reader of older events
// reads a page of its own.
//
// The event of an idx never changes within an epoch. So the tail belongs to one epoch, named
// by the event that began it, and forgets everything in another (D49). Events are shared:
// readers must not change anything that they point to.
type Tail struct {
	Grown *background.Broadcast // notified when the log has grown

	db    projections.Querier
	codec *event.Codec
	turn  chan struct{} // full while a reader queries the log
	mu    sync.Mutex
	begun uuid.UUID // the event that began the epoch; zero in the first one
	end   int64     // idx of the last of the events, or where the tail begins
	held  []*tailed // dense
	bytes int
	heard <-chan struct{} // closed if there may be something behind the end
}

// NewTail returns a tail that begins at the first idx it is asked for. db serves readers
// that only check whether the log has grown.
func NewTail(db projections.Querier, codec *event.Codec, grown *background.Broadcast) *Tail {
	return &Tail{Grown: grown, db: db, codec: codec, turn: make(chan struct{}, 1), heard: grown.Next()}
}

const (
	tailEvents = 4096
	tailBytes  = 8 << 20
	// tailPatience is the wait for another reader's query. A reader that has waited longer
	// reads alone, so that a connection that hangs stops its own consumer and no other.
	tailPatience = 100 * time.Millisecond
)

// tailed is an event of the log, decoded on first use.
type tailed struct {
	event.Stored
	size    int
	decoded sync.Once
	event   event.Recorded
	err     error
}

func (e *tailed) as(codec *event.Codec) (event.Recorded, error) {
	e.decoded.Do(func() {
		e.event, e.err = codec.Join(e.Stored, nil)
		e.Data, e.Metadata = nil, nil
	})
	return e.event, e.err
}

// tailEnd is where a tail ends, for the database to confirm.
type tailEnd struct {
	idx int64
	id  uuid.UUID // of the event there; zero if there is nothing to confirm
}

func (t *Tail) last() (end tailEnd) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.held) > 0 {
		end = tailEnd{t.end, t.held[len(t.held)-1].ID}
	}
	return end
}

// forget forgets everything, because the log was taken back.
func (t *Tail) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held, t.bytes, t.end = nil, 0, 0
}

// quiet reports whether nothing can have come after an idx, judging by the broadcast.
func (t *Tail) quiet(idx int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return idx == t.end && !background.Notified(t.heard)
}

// recent returns the page after an idx, or nothing if the log has not grown since the
// tail was read up to there.
func (t *Tail) recent(ctx context.Context, idx int64) ([]*tailed, error) {
	if t.quiet(idx) {
		return nil, nil
	}
	t.mu.Lock()
	begun := t.begun
	t.mu.Unlock()
	return t.page(ctx, t.db, idx, begun)
}

// page returns the events after an idx in an epoch. If the tail does not hold any, the
// caller extends it over its own connection: a reader in a transaction must not wait for
// another connection. The page ends before a hole in the log; a hole right after idx is an
// error (D54).
func (t *Tail) page(ctx context.Context, db projections.Querier, idx int64, begun uuid.UUID) ([]*tailed, error) {
	page, known := t.after(idx, begun)
	if len(page) > 0 {
		return page, nil
	}
	if !known || !t.wait() {
		found, err := readTail(ctx, db, idx)
		return found.events, err
	}
	defer func() { <-t.turn }()
	page, known = t.after(idx, begun) // another reader may have extended it meanwhile
	if len(page) > 0 {
		return page, nil
	}
	heard := t.Grown.Next()
	found, err := readTail(ctx, db, idx)
	if err == nil && known {
		t.goOn(idx, heard, found)
	}
	return found.events, err
}

// wait waits for the turn to read, and reports whether it has come.
func (t *Tail) wait() bool {
	patience := time.NewTimer(tailPatience)
	defer patience.Stop()
	select {
	case t.turn <- struct{}{}:
		return true
	case <-patience.C:
		return false
	}
}

// after returns the page that the tail holds after an idx in an epoch, and whether an
// empty one means that the tail has to be extended from there.
func (t *Tail) after(idx int64, begun uuid.UUID) (page []*tailed, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	first := t.end - int64(len(t.held))
	switch {
	case begun != t.begun, idx >= t.end:
		return nil, true
	case idx < first:
		return nil, false // far behind
	}
	page = t.held[idx-first:]
	return slices.Clone(page[:min(len(page), logPage)]), true
}

// goOn keeps the events found after an idx.
func (t *Tail) goOn(idx int64, heard <-chan struct{}, found stretch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if idx != t.end || len(found.events) > 0 && found.begun != t.begun {
		t.held, t.bytes = nil, 0
	}
	if len(found.events) > 0 {
		t.begun = found.begun
	}
	t.end, t.heard = idx+int64(len(found.events)), heard
	t.held = append(t.held, found.events...)
	for _, e := range found.events {
		t.bytes += e.size
	}
	old := 0
	for ; len(t.held)-old > tailEvents || t.bytes > tailBytes; old++ {
		t.bytes -= t.held[old].size
	}
	t.held = slices.Delete(t.held, 0, old)
}

// newestEpoch is the event that began the epoch, in a statement whose parameter is the
// stream of epochs.
const newestEpoch = `coalesce((SELECT id FROM events WHERE tenant = '' AND stream = $2 ORDER BY version DESC LIMIT 1), '00000000-0000-0000-0000-000000000000')`

// readStretch is [readLog], and ends with the event that reaches a number of bytes.
const readStretch = `
SELECT ` + newestEpoch + `, e.idx, ` + ofStored + afterIdx + `1000` + upToBytes

// Between these two goes the limit of events e, after an idx ($1), up to the one that reaches
// a number of bytes ($3). Sizes are known without reading values that are stored apart. The
// idx is a subquery, so that Postgres keeps one plan: with the idx it would know that few
// events follow, and plan each time.
const (
	afterIdx = `
FROM (
	SELECT *, sum(size) OVER (ORDER BY idx ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
	FROM (
		SELECT l.idx, e.*, coalesce(octet_length(data) + octet_length(metadata), 0) AS size
		FROM (SELECT idx, position FROM log WHERE idx > (SELECT $1::bigint) ORDER BY idx LIMIT `
	upToBytes = `) l
		LEFT JOIN LATERAL (SELECT * FROM events WHERE position = l.position OFFSET 0) e ON true) page) e
WHERE before IS NULL OR before < $3
ORDER BY e.idx`
)

// stretch is a part of the log without a hole.
type stretch struct {
	begun  uuid.UUID // the event that began the epoch
	events []*tailed
}

// readTail reads a page after an idx. It is empty at the end of the log.
func readTail(ctx context.Context, db projections.Querier, idx int64) (found stretch, err error) {
	rows, _ := db.Query(ctx, readStretch, idx, epoch.StreamOf().ID, tailBytes)
	defer rows.Close()
	var missing error
	for next := idx + 1; missing == nil && rows.Next(); next++ {
		e := &tailed{}
		err := rows.Scan(append([]any{&found.begun}, into(&e.Stored)...)...)
		e.At = e.At.UTC()
		if err != nil {
			return stretch{}, readingAfter(idx, err)
		}
		if missing = continues(e.Stored, next); missing == nil {
			e.size = len(e.Data) + len(e.Metadata)
			found.events = append(found.events, e)
		}
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return stretch{}, readingAfter(idx, err)
	}
	if len(found.events) == 0 {
		return stretch{}, missing
	}
	return found, nil
}
