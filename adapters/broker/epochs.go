package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/feed"
)

// published holds the epochs that the broker has published.
type published struct {
	epochs feed.Epochs // nil if absent
	seq    uint64      // of the stream's last message
}

// readPublished reads the epochs from the broker. If they have a later one than the log, or the
// same one from another idx, they belong to another history.
func (r *Relay) readPublished(ctx context.Context, look Look) (p published, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	stream, err := open(ctx, r.js, r.Streams.ofEpochs())
	if err != nil {
		return published{}, err
	}
	info, err := stream.Info(ctx)
	if err != nil {
		return published{}, fmt.Errorf("ask the broker for the epochs: %w", err)
	}
	if p.seq = info.State.LastSeq; info.State.Msgs == 0 {
		return p, nil
	}
	msg, err := stream.GetMsg(ctx, p.seq)
	if err != nil {
		return published{}, fmt.Errorf("ask the broker for the epochs: %w", err)
	}
	if err := json.Unmarshal(msg.Data, &p.epochs); err != nil || len(p.epochs) == 0 {
		return published{}, errors.New("the broker's stream " + feed.EpochsStream + " does not hold epochs: remove it, and the relay creates it again")
	}
	return p, p.differ(look)
}

func (p published) differ(look Look) error {
	known, present := p.epochs[len(p.epochs)-1], look.present()
	if known.Epoch > present.Epoch {
		return lost("the broker has come to epoch %d, from idx %d on, and the log to epoch %d, with %d or more as the number of the next",
			known.Epoch, known.First, present.Epoch, known.Epoch+1)
	}
	if known.Epoch == present.Epoch && known.First != present.First {
		return lost("the broker's epoch %d begins at idx %d and the log's at %d", known.Epoch, known.First, present.First)
	}
	return nil
}

// publish publishes the epochs, unless the broker has the same or another relay is faster.
func (p published) publish(ctx context.Context, js jetstream.JetStream, epochs feed.Epochs) error {
	if slices.Equal(p.epochs, epochs) {
		return nil
	}
	body, err := json.Marshal(epochs)
	if err != nil {
		return fmt.Errorf("write the epochs: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	if _, err := js.Publish(ctx, feed.EpochsSubject, body, jetstream.WithExpectStream(feed.EpochsStream), jetstream.WithExpectLastSequence(p.seq)); err != nil {
		return fmt.Errorf("publish the epochs: %w", err)
	}
	return nil
}
