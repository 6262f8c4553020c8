package feed

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const askLimit = 5 * time.Second // for one question to the broker

// broker holds the questions that a follower may ask of NATS: which epochs there are, and to
// send the events behind an idx.
type broker struct {
	conn *nats.Conn
	js   jetstream.JetStream
	api  string // where questions are asked
}

func newBroker(conn *nats.Conn, api string) (broker, error) {
	if api == "" {
		api = API
	}
	js, err := jetstream.NewWithAPIPrefix(conn, api, jetstream.WithDefaultTimeout(askLimit))
	if err != nil {
		return broker{}, fmt.Errorf("speak with JetStream: %w", err)
	}
	return broker{conn, js, api}, nil
}

// epochs returns the epochs that the broker knows.
func (b broker) epochs(ctx context.Context) (all Epochs, err error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	msg, err := b.conn.RequestWithContext(ctx, b.api+".DIRECT.GET."+EpochsStream+"."+EpochsSubject, nil)
	if err != nil {
		return nil, b.failed("ask the broker for the epochs of the log", err)
	}
	if msg.Header.Get("Status") != "" {
		return nil, passing{errors.New("the broker holds nothing of the log yet")}
	}
	if err := jsonv2.Unmarshal(msg.Data, &all); err != nil || len(all) == 0 {
		return nil, fmt.Errorf("the broker's %s is no list of epochs: %s", EpochsSubject, msg.Data)
	}
	return all, nil
}

// granted returns the subjects of the events that a follower was granted of an epoch.
func (b broker) granted(ctx context.Context, name string, epoch int) (subjects string, err error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	consumer, err := b.js.Consumer(ctx, StreamName(epoch), name)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return "", passing{fmt.Errorf("the broker knows no follower %s of epoch %d: have frontdesk feed grant make it", name, epoch)}
	}
	if err != nil {
		return "", b.failed(fmt.Sprintf("ask the broker what %s was granted of epoch %d", name, epoch), err)
	}
	return consumer.CachedInfo().Config.FilterSubject, nil
}

// send resets a consumer to an idx, and returns its state after that.
func (b broker) send(ctx context.Context, name string, epoch int, idx int64) (*jetstream.ConsumerInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	reset, err := b.js.ResetConsumerToSequence(ctx, StreamName(epoch), name, uint64(idx))
	if err != nil {
		return nil, b.failed(fmt.Sprintf("have the consumer %s of %s go on with idx %d", name, StreamName(epoch), idx), err)
	}
	return reset.ConsumerInfo, nil
}

// failed returns the error of a question. The broker does not answer questions that these
// credentials may not ask.
func (b broker) failed(doing string, err error) error {
	switch refused := b.conn.LastError(); {
	case errors.Is(err, nats.ErrConnectionClosed):
		return fmt.Errorf("%s: %w", doing, err)
	case errors.Is(refused, nats.ErrPermissionViolation) && errors.Is(err, context.DeadlineExceeded) && strings.Contains(refused.Error(), b.api):
		return fmt.Errorf("%s: %w", doing, refused)
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrJetStreamNotEnabled):
		return passing{fmt.Errorf("%s: no response at %s.>, where frontdesk feed grant lets a follower ask by its name; or the broker has no leader for now", doing, b.api)}
	}
	if !b.conn.IsConnected() {
		return passing{fmt.Errorf("%s: the broker is away: %w", doing, errors.Join(err, b.conn.LastError()))}
	}
	return passing{fmt.Errorf("%s: %w", doing, err)}
}

// End returns the place of the last event: a follower that begins there gets the events
// after now. It reads Conn, API, Practice and Name of the configuration.
func End(ctx context.Context, c Config) (Place, error) {
	b, err := newBroker(c.Conn, c.API)
	if err != nil {
		return Place{}, err
	}
	epochs, err := b.epochs(ctx)
	if err != nil {
		return Place{}, err
	}
	present := epochs[len(epochs)-1]
	if _, err := b.granted(ctx, c.name(), present.Epoch); err != nil {
		return Place{}, err
	}
	idx, err := b.end(ctx, c.name(), present)
	return Place{present.Epoch, idx}, err
}

// end looks for the last event that a consumer has, by asking how many there are behind
// one or another idx.
func (b broker) end(ctx context.Context, name string, e Epoch) (idx int64, err error) {
	before := e.First - 1
	found := sort.Search(mostEvents, func(n int) bool {
		if err != nil {
			return true
		}
		var behind *jetstream.ConsumerInfo
		behind, err = b.send(ctx, name, e.Epoch, before+int64(n)+1)
		return err != nil || behind.NumPending == 0
	})
	return before + int64(found), err
}

// mostEvents is more than any epoch has.
const mostEvents = 1 << 40
