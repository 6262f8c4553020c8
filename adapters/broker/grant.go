package broker

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/feed"
)

// Grant makes a follower's consumer of every epoch that the broker holds, and returns how
// many there are. [Carry] makes those of later epochs. Doing it again changes nothing.
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

// Carry makes the consumers of an epoch's followers in the stream of a later one. Those
// that are there stay as they are, so doing it again changes nothing.
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
