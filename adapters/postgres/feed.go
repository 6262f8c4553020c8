package postgres

import (
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	wsql "github.com/ThreeDotsLabs/watermill-sql/v3/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// The feed is watermill-sql over the log itself: there is no second copy of
// any message. A consumer group is one row of feed_offsets, and whoever locks
// that row consumes.

// topic is the only one; watermill wants a name.
const topic = "log"

// feedSchema is watermill's schema adapter over log and events.
type feedSchema struct {
	batch int      // events a transaction, at most
	skips []string // names of events that the consumer has no use for; not nil, which SQL takes for all
	look  *look
}

// look is what a consumer's last look at the log has come to.
type look struct{ last int64 } // idx; 0 before the first

// nextMessages is [readLog] from where the consumer has come to. What it has no
// use for is left out, but for the last of the page, which tells how far the page
// went; a name that nobody knows is never left out.
//
// Its transaction need not wait for the disk: what a handler wrote and how far it
// came are one commit, and are kept or lost together. Who reads a handler's rows
// and must not lose them flushes them with a commit of their own. The limit is
// part of the text: Postgres takes a parameter for a tenth of the table.
const nextMessages = `
WITH consumer AS (
	SELECT idx, set_config('synchronous_commit', 'off', true)
	FROM feed_offsets WHERE consumer = $1 FOR UPDATE SKIP LOCKED)
SELECT l.idx, e.id, e.tenant, e.stream, e.version, e.name, e.data, e.metadata, e.recorded_at
FROM (
	SELECT idx, position, lead(idx) OVER (ORDER BY idx) IS NULL AS last
	FROM (SELECT idx, position FROM log WHERE idx > (SELECT idx FROM consumer) ORDER BY idx LIMIT %d) page) l
CROSS JOIN LATERAL (SELECT * FROM events WHERE position = l.position OFFSET 0) e
WHERE l.last OR e.name <> ALL ($2)
ORDER BY l.idx`

// SelectQuery implements [wsql.SchemaAdapter].
func (f feedSchema) SelectQuery(_, consumer string, _ wsql.OffsetsAdapter) wsql.Query {
	return wsql.Query{Query: fmt.Sprintf(nextMessages, f.batch), Args: []any{consumer, f.skips}}
}

// SubscribeIsolationLevel implements [wsql.SchemaAdapter]. Under a stricter
// level a consumer that waited for another would fail instead of going on.
func (feedSchema) SubscribeIsolationLevel() sql.IsolationLevel { return sql.LevelReadCommitted }

// UnmarshalMessage implements [wsql.SchemaAdapter].
func (f feedSchema) UnmarshalMessage(row wsql.Scanner) (wsql.Row, error) {
	var s stored
	err := row.Scan(&s.idx, &s.id, &s.tenant, &s.stream, &s.version, &s.name, &s.data, &s.metadata, &s.at)
	if err != nil {
		return wsql.Row{}, err
	}
	f.look.last = s.idx
	return wsql.Row{Offset: s.idx, Msg: s.message()}, nil
}

// InsertQuery implements [wsql.SchemaAdapter]: nothing is published here.
func (feedSchema) InsertQuery(string, message.Messages) (wsql.Query, error) {
	return wsql.Query{}, errors.New("the feed is read-only: append events instead")
}

// SchemaInitializingQueries implements [wsql.SchemaAdapter]: migrations do it.
func (feedSchema) SchemaInitializingQueries(string) []wsql.Query { return nil }

// feedOffsets is watermill's offsets adapter over feed_offsets.
type feedOffsets struct{}

// BeforeSubscribingQueries implements [wsql.OffsetsAdapter].
func (feedOffsets) BeforeSubscribingQueries(_, consumer string) []wsql.Query {
	return []wsql.Query{{
		Query: `INSERT INTO feed_offsets (consumer) VALUES ($1) ON CONFLICT DO NOTHING`,
		Args:  []any{consumer},
	}}
}

// AckMessageQuery implements [wsql.OffsetsAdapter].
func (feedOffsets) AckMessageQuery(_ string, row wsql.Row, consumer string) wsql.Query {
	return wsql.Query{
		Query: `UPDATE feed_offsets SET idx = $2 WHERE consumer = $1`,
		Args:  []any{consumer, row.Offset},
	}
}

// ConsumedMessageQuery implements [wsql.OffsetsAdapter]: there is none.
func (feedOffsets) ConsumedMessageQuery(string, wsql.Row, string, []byte) wsql.Query {
	return wsql.Query{}
}

// NextOffsetQuery implements [wsql.OffsetsAdapter]; [nextMessages] contains it.
func (feedOffsets) NextOffsetQuery(string, string) wsql.Query { return wsql.Query{} }

// SchemaInitializingQueries implements [wsql.OffsetsAdapter]: migrations do it.
func (feedOffsets) SchemaInitializingQueries(string) []wsql.Query { return nil }

// message is the stored event as a watermill message: the payload is the
// event's data, everything else is metadata. Decoding is left to the consumer,
// which knows what to do about an unknown name.
func (s stored) message() *message.Message {
	msg := message.NewMessage(s.id.String(), s.data)
	msg.Metadata = message.Metadata{
		"idx": strconv.FormatInt(s.idx, 10), "tenant": s.tenant, "stream": s.stream.String(),
		"version": strconv.Itoa(s.version), "name": s.name, "metadata": string(s.metadata),
		"at": s.at.UTC().Format(time.RFC3339Nano),
	}
	return msg
}

// recordedFrom is the event that a message carries.
func recordedFrom(msg *message.Message, codec *event.Codec) (event.Recorded, error) {
	e, err := codec.Decode(msg.Metadata["name"], msg.Payload)
	if err != nil {
		return event.Recorded{}, err
	}
	recorded := event.Recorded{Event: e, Stream: event.Stream{Tenant: msg.Metadata["tenant"]}}
	err = errors.Join(
		parse(&recorded.ID, msg.UUID, uuid.Parse),
		parse(&recorded.Stream.ID, msg.Metadata["stream"], uuid.Parse),
		parse(&recorded.Idx, msg.Metadata["idx"], func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }),
		parse(&recorded.Version, msg.Metadata["version"], strconv.Atoi),
		parse(&recorded.At, msg.Metadata["at"], func(s string) (time.Time, error) { return time.Parse(time.RFC3339Nano, s) }),
		parse(&recorded.Metadata, msg.Metadata["metadata"], func(s string) (event.Metadata, error) { return event.ParseMetadata([]byte(s)) }),
	)
	if err != nil {
		return event.Recorded{}, fmt.Errorf("read message %s: %w", msg.UUID, err)
	}
	return recorded, nil
}

func parse[T any](target *T, text string, read func(string) (T, error)) (err error) {
	*target, err = read(text)
	return err
}
