package webhooks

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// dispatch is a delivery that has been claimed, with all it takes to send it.
type dispatch struct {
	attempt, application, destination uuid.UUID
	url                               string
	recorded                          event.Recorded
	names                             names
	signer                            *signer
	unreadable                        bool // the event's stored form cannot be read
}

// scan reads one claimed delivery into found.
func (s *Sender) scan(rows pgx.Rows, attempt uuid.UUID, found *claimed) error {
	d := dispatch{attempt: attempt}
	var kind application.WebhookEvent
	var status Status
	var name string
	var data, metadata []byte
	e := &d.recorded
	err := rows.Scan(&d.application, &e.Idx, &kind, &d.destination, &status, &d.url,
		&e.ID, &e.Stream.Tenant, &e.Stream.ID, &e.Version, &name, &data, &metadata, &e.At, &found.kid)
	if err != nil {
		return err
	}
	if status != Sending {
		found.ended = append(found.ended, ended{kind, status})
		return nil
	}
	err = s.decode(e, name, data, metadata)
	if errors.Is(err, event.ErrUnknownName) {
		found.foreign = append(found.foreign, d)
		return nil
	}
	d.unreadable = err != nil
	found.send = append(found.send, d)
	return nil
}

func (s *Sender) decode(e *event.Recorded, name string, data, metadata []byte) (err error) {
	if e.Event, err = s.Codec.Decode(name, data); err != nil {
		return err
	}
	e.Metadata, err = event.ParseMetadata(metadata)
	return err
}

// prepare gets ready what has been claimed: the key, and the names.
func (s *Sender) prepare(ctx context.Context, found *claimed) error {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	signer, err := s.keys.forKID(ctx, found.kid)
	if err != nil {
		return err
	}
	for i := range found.send {
		found.send[i].signer = signer
	}
	return lookUp(ctx, s.DB, found.send)
}

// send begins to send what was claimed, and releases what cannot be.
func (r *round) send(ctx context.Context, last time.Time, found claimed) error {
	ctx = context.WithoutCancel(ctx)
	if err := r.prepare(ctx, &found); err != nil {
		return errors.Join(err, r.release(ctx, found.send), r.release(ctx, found.foreign))
	}
	for _, d := range found.send {
		r.lanes.take(d.destination)
		r.sends.Go(func() {
			ctx, cancel := context.WithDeadline(ctx, last)
			defer cancel()
			r.done <- r.deliver(ctx, d)
		})
	}
	r.Metrics.inFlight(r.lanes.total)
	return r.release(ctx, found.foreign)
}

// errReleased says that a newer program, or one with another master key, has to
// send what this one has claimed.
var errReleased = errors.New("deliveries were left to others")

// release lets others claim what this process cannot send: a look of its own,
// so that it does not claim the same again in the same breath.
func (r *round) release(ctx context.Context, dispatches []dispatch) error {
	if len(dispatches) == 0 {
		return nil
	}
	for _, d := range dispatches {
		r.finished = append(r.finished, r.outcomeOf(d, Pending, ""))
	}
	_, err := r.look(ctx, false)
	return errors.Join(errReleased, err)
}
