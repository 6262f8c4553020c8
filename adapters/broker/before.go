package broker

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/domain/event"
	"frontdesk/feed"
)

// before finds the previous event of each practice in a stream. The idx of one
// practice's events have gaps, so its followers need that to see that nothing is
// missing.
type before struct {
	stream jetstream.Stream
	epoch  feed.Epoch
	last   map[string]int64 // idx, by tenant
	come   int64            // idx of the last recorded event
}

// of returns the idx of the last earlier event of the event's practice in the stream, 0
// if there is none, and records the event.
func (b *before) of(ctx context.Context, s event.Stored) (idx int64, err error) {
	if b.last == nil || s.Idx != b.come+1 {
		b.last = map[string]int64{} // another relay has published the ones in between
	}
	idx, known := b.last[s.Stream.Tenant]
	if !known && s.Stream.Tenant != "" {
		if idx, err = b.look(ctx, s.Stream.Tenant); err != nil {
			return 0, err
		}
	}
	b.last[s.Stream.Tenant], b.come = s.Idx, s.Idx
	if idx >= s.Idx {
		return 0, nil // another relay has already published this one
	}
	return idx, nil
}

// look queries the broker. If a practice's events have expired, it returns the idx just
// before the oldest message.
func (b *before) look(ctx context.Context, tenant string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	msg, err := b.stream.GetLastMsgForSubject(ctx, feed.Subject(b.epoch.Epoch, tenant, ">"))
	if err == nil {
		return int64(msg.Sequence), nil
	}
	if !errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, fmt.Errorf("ask the broker for the last event of a practice: %w", err)
	}
	info, err := b.stream.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("ask the broker for its oldest event: %w", err)
	}
	if first := int64(info.State.FirstSeq); first > b.epoch.First {
		return first - 1, nil
	}
	return 0, nil
}
