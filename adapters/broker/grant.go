package broker

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/feed"
)

const grantLimit = 30 * time.Second

// Grant is [Grant] with a connection of its own.
func (s Server) Grant(ctx context.Context, f Follower) (epochs int, err error) {
	ctx, cancel := context.WithTimeout(ctx, grantLimit)
	defer cancel()
	conn, err := nats.Connect(strings.Join(s.URLs, ","), append(s.secrets(), nats.Name("frontdesk feed grant"), nats.Timeout(dialLimit))...)
	if err != nil {
		return 0, fmt.Errorf("connect to the broker: %w", err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return 0, fmt.Errorf("speak with JetStream: %w", err)
	}
	if epochs, err = Grant(ctx, js, f); err != nil {
		return epochs, err
	}
	if epochs == 0 {
		return 0, errEmpty
	}
	return epochs, nil
}

// Grant creates a follower's consumer of every epoch at the broker, and returns their
// number. [Carry] creates those of later epochs. It is idempotent.
func Grant(ctx context.Context, js jetstream.JetStream, f Follower) (epochs int, err error) {
	streams := js.StreamNames(ctx)
	for name := range streams.Name() {
		if epoch := feed.EpochOf(name); epoch > 0 {
			if err := grant(ctx, js, epoch, f); err != nil {
				return epochs, err
			}
			epochs++
		}
	}
	if err := streams.Err(); err != nil {
		return epochs, fmt.Errorf("ask for the streams of the log: %w", err)
	}
	return epochs, nil
}

func grant(ctx context.Context, js jetstream.JetStream, epoch int, f Follower) error {
	if _, err := js.CreateOrUpdateConsumer(ctx, feed.StreamName(epoch), f.consumer(epoch)); err != nil {
		return fmt.Errorf("make the consumer %s of epoch %d: %w", f.Name, epoch, err)
	}
	return nil
}

// Carry creates the consumers of an epoch's followers in the stream of a later one. It
// leaves existing ones unchanged, so it is idempotent.
func Carry(ctx context.Context, js jetstream.JetStream, from, to int) error {
	earlier, err := js.Stream(ctx, feed.StreamName(from))
	if err != nil {
		return fmt.Errorf("look for the followers of epoch %d: %w", from, err)
	}
	consumers := earlier.ListConsumers(ctx)
	for info := range consumers.Info() {
		if f, granted := follower(from, info.Config); granted {
			if err := grant(ctx, js, to, f); err != nil {
				return err
			}
		}
	}
	if err := consumers.Err(); err != nil {
		return fmt.Errorf("ask for the followers of epoch %d: %w", from, err)
	}
	return nil
}
