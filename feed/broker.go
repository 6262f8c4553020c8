package feed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	askLimit = 5 * time.Second // for one question to the broker

	// A consumer that nobody asks for so long is removed by the broker. A follower that was
	// slower than that makes itself another one.
	idleLimit = time.Minute
)

// broker is what a follower asks of NATS. A user who may read one practice may do all of
// it: nothing asks for the state of a stream, which would name practices.
type broker struct {
	conn *nats.Conn
	js   jetstream.JetStream
}

func newBroker(conn *nats.Conn) (broker, error) {
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(askLimit))
	if err != nil {
		return broker{}, fmt.Errorf("speak with JetStream: %w", err)
	}
	return broker{conn, js}, nil
}

// epochs returns those that the broker knows.
func (b broker) epochs(ctx context.Context) (all Epochs, err error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	subject := "$JS.API.DIRECT.GET." + EpochsStream + "." + EpochsSubject
	msg, err := b.conn.RequestWithContext(ctx, subject, nil)
	if err != nil {
		return nil, b.failed(subject, fmt.Errorf("ask the broker for the epochs of the log: %w", err))
	}
	if msg.Header.Get("Status") != "" {
		return nil, passing{errors.New("the broker holds nothing of the log yet")}
	}
	if err := jsonv2.Unmarshal(msg.Data, &all); err != nil || len(all) == 0 {
		return nil, fmt.Errorf("the broker's %s is no list of epochs: %w", EpochsSubject, errors.Join(err))
	}
	return all, nil
}

// consumer makes the consumer anew that reads the events of a practice after an idx.
func (b broker) consumer(ctx context.Context, name, practice string, epoch int, from jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	stream, filter := StreamName(epoch), subjectsOf(epoch, practice)
	if err := b.js.DeleteConsumer(ctx, stream, name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil, b.failed("$JS.API.CONSUMER.DELETE."+stream+"."+name, fmt.Errorf("remove the former consumer %s of %s: %w", name, stream, err))
	}
	from.Name, from.FilterSubject, from.InactiveThreshold = name, filter, idleLimit
	from.AckPolicy, from.MemoryStorage, from.Replicas = jetstream.AckNonePolicy, true, 1
	consumer, err := b.js.CreateConsumer(ctx, stream, from)
	if err != nil {
		return nil, b.failed("$JS.API.CONSUMER.CREATE."+stream+"."+name+"."+filter, fmt.Errorf("make the consumer %s of %s: %w", name, stream, err))
	}
	return consumer, nil
}

// failed says whether what was asked at a subject may work at the next try. What the
// credentials do not allow, the broker does not answer.
func (b broker) failed(subject string, err error) error {
	if errors.Is(err, nats.ErrConnectionClosed) {
		return err
	}
	refused := b.conn.LastError()
	if !errors.Is(refused, nats.ErrPermissionViolation) || !errors.Is(err, context.DeadlineExceeded) {
		return passing{err}
	}
	if text := strings.ToLower(refused.Error()); strings.Contains(text, strings.ToLower(subject)) || strings.Contains(text, "_inbox") {
		return fmt.Errorf("%w: these credentials do not allow it, or for another name or practice: %w", err, refused)
	}
	return passing{err}
}

// End returns the place of the newest event on the broker, for a follower that begins there.
// Practice and name are those of a [Config].
func End(ctx context.Context, conn *nats.Conn, practice, name string) (Place, error) {
	b, err := newBroker(conn)
	if err != nil {
		return Place{}, err
	}
	epochs, err := b.epochs(ctx)
	if err != nil {
		return Place{}, err
	}
	present := epochs[len(epochs)-1]
	consumer, err := b.consumer(ctx, name, practice, present.Epoch, jetstream.ConsumerConfig{DeliverPolicy: jetstream.DeliverNewPolicy})
	if err != nil {
		return Place{}, err
	}
	return Place{present.Epoch, max(present.First-1, int64(consumer.CachedInfo().Delivered.Stream))}, nil //nolint:gosec // an idx
}
