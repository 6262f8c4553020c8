package commands

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practitioner"
	"frontdesk/domain/staff"
)

// ConfirmErasure forgets a person, as somebody else has asked for.
type ConfirmErasure struct {
	erasure.Person
	Erasure erasure.ID
}

// ConfirmErasure changes nothing if this erasure is done already. After an error that says
// that the database is not available it may be done: ask again.
func (d Desk) ConfirmErasure(ctx context.Context, c ConfirmErasure) error {
	switch c.Kind {
	case event.OfStaff:
		return confirm[staff.Member](ctx, d, c)
	case event.OfPractitioner:
		return confirm[practitioner.Practitioner](ctx, d, c)
	}
	return confirm[patient.Patient](ctx, d, c)
}

// ReapplyErasure forgets a person whom a restored backup has brought back.
type ReapplyErasure struct {
	erasure.Person
	Erasure erasure.ID
}

// ReapplyErasure appends nothing if the person is erased, and destroys what keys of theirs
// there are in any case.
func (d Desk) ReapplyErasure(ctx context.Context, c ReapplyErasure) error {
	switch c.Kind {
	case event.OfStaff:
		return reapply[staff.Member](ctx, d, c)
	case event.OfPractitioner:
		return reapply[practitioner.Practitioner](ctx, d, c)
	}
	return reapply[patient.Patient](ctx, d, c)
}

// erasable is the state of somebody who can be forgotten.
type erasable[S event.State[S]] interface {
	event.State[S]
	WithdrawErasure(person uuid.UUID, w erasure.Withdrawal) ([]event.Event, error)
	ConfirmErasure(person uuid.UUID, c erasure.Confirmation, keys []erasure.Key) ([]event.Event, error)
	EraseAgain(person uuid.UUID, done erasure.Done) []event.Event
}

func streamOf(who erasure.Person) event.Stream {
	switch who.Kind {
	case event.OfStaff:
		return staff.StreamOf(who.Tenant, staff.ID{UUID: who.Holder})
	case event.OfPractitioner:
		return practitioner.StreamOf(who.Tenant, practitioner.ID{UUID: who.Holder})
	}
	return patient.StreamOf(who.Tenant, patient.ID{UUID: who.Holder})
}

func withdraw[S erasable[S]](ctx context.Context, d Desk, c WithdrawErasure) error {
	return Update(ctx, d.Store, streamOf(c.Person), func(s S) ([]event.Event, error) {
		return s.WithdrawErasure(c.Holder, erasure.Withdrawal{Erasure: c.Erasure, Reason: strings.TrimSpace(c.Reason)})
	})
}

func confirm[S erasable[S]](ctx context.Context, d Desk, c ConfirmErasure) error {
	second := erasure.Confirmation{Erasure: c.Erasure, By: event.MetadataFrom(ctx).Actor, At: d.instant()}
	return erase(ctx, d, c.Person, func(s S, keys []erasure.Key) ([]event.Event, error) {
		return s.ConfirmErasure(c.Holder, second, keys)
	})
}

func reapply[S erasable[S]](ctx context.Context, d Desk, c ReapplyErasure) error {
	by := event.MetadataFrom(ctx).Actor
	return erase(ctx, d, c.Person, func(s S, keys []erasure.Key) ([]event.Event, error) {
		return s.EraseAgain(c.Holder, erasure.Again(c.Erasure, by, keys)), nil
	})
}

// erase has a decision taken on the keys that are about to be destroyed. It is taken once
// before, so that what is refused makes nobody wait.
func erase[S event.State[S]](ctx context.Context, d Desk, who erasure.Person, decide func(S, []erasure.Key) ([]event.Event, error)) error {
	stream := streamOf(who)
	return retry(ctx, func() error {
		history, err := d.Store.Load(ctx, stream)
		if err != nil {
			return err
		}
		state := event.Fold[S](history...)
		if _, err := decide(state, nil); err != nil {
			return err
		}
		_, err = d.Erasures.Erase(ctx, who, func(keys []erasure.Key) (event.Change, error) {
			events, err := decide(state, keys)
			return event.Change{Stream: stream, Expected: len(history), Events: events}, err
		})
		return err
	})
}
