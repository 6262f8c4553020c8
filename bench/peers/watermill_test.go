package peers_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	wsql "github.com/ThreeDotsLabs/watermill-sql/v3/pkg/sql"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"frontdesk/domain/event/eventtest"
)

const topic = "records"

// watermillSQL publishes to one topic, with the library's own schema. It has neither streams nor
// versions, and can only be read by subscribing.
type watermillSQL struct {
	db        *sql.DB
	schema    wsql.DefaultPostgreSQLSchema
	publisher *wsql.Publisher
}

func newWatermill(b *testing.B, url string) peer {
	b.Helper()
	config, err := pgxpool.ParseConfig(url)
	must(b, err)
	config.MaxConns = connections
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	must(b, err)
	b.Cleanup(pool.Close)
	w := &watermillSQL{db: stdlib.OpenDBFromPool(pool), schema: wsql.DefaultPostgreSQLSchema{SubscribeBatchSize: batch}}
	w.publisher, err = wsql.NewPublisher(w.db, wsql.PublisherConfig{SchemaAdapter: w.schema, AutoInitializeSchema: true}, nil)
	must(b, err)
	does := store{fill: w.fill, append: w.append, follow: w.follow}
	return peer{name: "watermill-sql " + versionOf(b, "github.com/ThreeDotsLabs/watermill-sql/v3"), url: url, pid: ownPID,
		do: does.perform, lacks: []string{"update", "decide", "replay", "spread"}}
}

// versionOf is the version of a module that this program is built with.
func versionOf(b *testing.B, module string) string {
	b.Helper()
	version, err := exec.CommandContext(b.Context(), "go", "list", "-m", "-f", "{{.Version}}", module).Output()
	must(b, err)
	return strings.TrimPrefix(strings.TrimSpace(string(version)), "v")
}

func messageOf(key uuid.UUID) (*message.Message, error) {
	data, err := json.Marshal(eventtest.Marked{Patient: key, Mark: note})
	if err != nil {
		return nil, err
	}
	msg := message.NewMessage(uuid.NewString(), data)
	msg.Metadata = message.Metadata{"actor": metadata.Actor.ID, "kind": string(metadata.Actor.Kind), "requestId": metadata.RequestID}
	return msg, nil
}

func (w *watermillSQL) append(_ context.Context, key uuid.UUID) error {
	msg, err := messageOf(key)
	if err != nil {
		return err
	}
	return w.publisher.Publish(topic, msg)
}

func (w *watermillSQL) fill(_ context.Context, events int) error {
	for range events / batch {
		var messages []*message.Message
		for range batch {
			msg, err := messageOf(uuid.New())
			if err != nil {
				return err
			}
			messages = append(messages, msg)
		}
		if err := w.publisher.Publish(topic, messages...); err != nil {
			return err
		}
	}
	return nil
}

func (w *watermillSQL) follow(ctx context.Context, name string, handle func(uuid.UUID)) (func(), error) {
	subscriber, err := wsql.NewSubscriber(w.db, wsql.SubscriberConfig{
		ConsumerGroup: name, PollInterval: poll * time.Millisecond, InitializeSchema: true,
		SchemaAdapter: w.schema, OffsetsAdapter: wsql.DefaultPostgreSQLOffsetsAdapter{},
	}, watermill.NopLogger{})
	if err != nil {
		return nil, err
	}
	messages, err := subscriber.Subscribe(context.WithoutCancel(ctx), topic)
	if err != nil {
		return nil, err
	}
	stop := inBackground(ctx, func(context.Context) {
		for msg := range messages {
			var data eventtest.Marked
			if json.Unmarshal(msg.Payload, &data) == nil {
				handle(data.Patient)
			}
			msg.Ack()
		}
	})
	return func() { _ = subscriber.Close(); stop() }, nil
}
