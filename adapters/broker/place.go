package broker

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/feed"
)

// Lost is the error that the broker holds a history other than the log's.
type Lost string

// Error describes the difference, and what to do.
func (l Lost) Error() string { return string(l) }

// place returns the last idx in a stream, after comparing its event with the log's. In
// a past epoch, events after its end were lost, and are ignored.
func (r *Relay) place(ctx context.Context, stream jetstream.Stream, look Look, e feed.Epoch, end int64) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	info, err := stream.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("ask the broker for the end of %s: %w", feed.StreamName(e.Epoch), err)
	}
	last := int64(info.State.LastSeq)
	if end > 0 {
		last = min(last, end)
	} else if err := r.within(ctx, look, last); err != nil {
		return 0, err
	}
	if last < int64(info.State.FirstSeq) {
		return last, nil // nothing to compare
	}
	return last, r.compare(ctx, stream, e, last, end)
}

// within returns an error if a stream's last idx is beyond the log's. The log was read
// before, and another relay may have continued since, so it is read again.
func (r *Relay) within(ctx context.Context, look Look, last int64) error {
	if last <= look.Head {
		return nil
	}
	now, err := r.look(ctx)
	if err != nil {
		return err
	}
	if now.present() != look.present() {
		return errMoved
	}
	if last > now.Head {
		return lost("the broker's stream %s has come to idx %d and the log to %d", feed.StreamName(look.present().Epoch), last, now.Head)
	}
	return nil
}

// compare returns an error if a stream's event at an idx differs from the log's.
func (r *Relay) compare(ctx context.Context, stream jetstream.Stream, e feed.Epoch, idx, end int64) error {
	msg, err := stream.GetMsg(ctx, uint64(idx))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil // it expired in between
	}
	if err != nil {
		return fmt.Errorf("ask the broker for idx %d: %w", idx, err)
	}
	page, err := r.page(ctx, idx-1, 1)
	if err != nil {
		return err
	}
	if len(page.Events) == 0 {
		return errMoved
	}
	r.compared = spot{idx, page.Events[0].ID}
	is, want := msg.Header.Get(nats.MsgIdHdr), page.Events[0].ID.String()
	if is == want {
		return nil
	}
	says := lost
	if end > 0 {
		says = lostBefore
	}
	return says("the broker's stream %s has the event %q at idx %d and the log has %s", feed.StreamName(e.Epoch), is, idx, want)
}

// spot is an event with its position in the log.
type spot struct {
	idx int64
	id  uuid.UUID
}

// leads returns an error if a page does not continue after an event. Otherwise, if a
// backup is restored while the log is read, its events would be taken for the next page
// once it is long enough.
func (s spot) leads(after int64, to Page) error {
	if s.idx != after || len(to.Events) == 0 || to.Before == s.id {
		return nil
	}
	return fmt.Errorf("the log has another event at idx %d than before", after)
}

// errMoved: the log changed while it was read.
var errMoved = errors.New("the log has begun another epoch while it was read")

func lost(format string, args ...any) Lost {
	return Lost(fmt.Sprintf(format, args...) + ": what the broker holds was lost here. If the database was restored, run frontdesk audit begin-epoch")
}

// lostBefore is the error for a past epoch. Between a restore and its epoch, a serving
// process gives idx of the older epoch to other events, and these are the valid ones.
func lostBefore(format string, args ...any) Lost {
	return Lost(fmt.Sprintf(format, args...) + ": somebody has served after a restore, before an epoch was begun. " +
		"Have the broker's administrator remove that stream: it is filled anew, and its followers have to begin anew")
}
