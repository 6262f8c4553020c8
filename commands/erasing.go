package commands

import (
	"context"

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
	second := erasure.Confirmation{Erasure: c.Erasure, By: event.MetadataFrom(ctx).Actor, At: d.instant()}
	return d.erase(ctx, c.Person, nil, func(p erasable, keys []erasure.Key) ([]event.Event, error) {
		return p.ConfirmErasure(c.Holder, second, keys)
	})
}

// ReapplyErasure forgets a person whom a restored backup has brought back.
type ReapplyErasure struct {
	erasure.Person
	Erasure      erasure.ID
	Fingerprints []string // of the keys that were destroyed, as far as they are known
}

// ReapplyErasure appends nothing if the person is erased, and destroys what keys of theirs
// there are in any case.
func (d Desk) ReapplyErasure(ctx context.Context, c ReapplyErasure) error {
	by := event.MetadataFrom(ctx).Actor
	return d.erase(ctx, c.Person, c.Fingerprints, func(p erasable, keys []erasure.Key) ([]event.Event, error) {
		return p.EraseAgain(c.Holder, erasure.Again(c.Erasure, by, keys)), nil
	})
}

// erasable is the state of somebody who can be forgotten.
type erasable interface {
	WithdrawErasure(person uuid.UUID, w erasure.Withdrawal) ([]event.Event, error)
	ConfirmErasure(person uuid.UUID, c erasure.Confirmation, keys []erasure.Key) ([]event.Event, error)
	EraseAgain(person uuid.UUID, done erasure.Done) []event.Event
}

// somebody loads a person, and returns the change that a decision about them fills.
func (d Desk) somebody(ctx context.Context, who erasure.Person) (erasable, event.Change, error) {
	change := event.Change{Stream: streamOf(who)}
	history, err := d.Store.Load(ctx, change.Stream)
	change.Expected = len(history)
	switch who.Kind {
	case event.OfStaff:
		return event.Fold[staff.Member](history...), change, err
	case event.OfPractitioner:
		return event.Fold[practitioner.Practitioner](history...), change, err
	case event.OfPatient, event.OfRequest: // a request goes with its patient
	}
	return event.Fold[patient.Patient](history...), change, err
}

func streamOf(who erasure.Person) event.Stream {
	switch who.Kind {
	case event.OfStaff:
		return staff.StreamOf(who.Tenant, staff.ID{UUID: who.Holder})
	case event.OfPractitioner:
		return practitioner.StreamOf(who.Tenant, practitioner.ID{UUID: who.Holder})
	case event.OfPatient, event.OfRequest:
	}
	return patient.StreamOf(who.Tenant, patient.ID{UUID: who.Holder})
}

// erase has a decision taken on the keys that are about to be destroyed. It is taken once
// before, so that what is refused makes nobody wait.
func (d Desk) erase(ctx context.Context, who erasure.Person, also []string, decide func(erasable, []erasure.Key) ([]event.Event, error)) error {
	return retry(ctx, func() error {
		person, change, err := d.somebody(ctx, who)
		if err != nil {
			return err
		}
		if _, err := decide(person, nil); err != nil {
			return err
		}
		_, err = d.Erasures.Erase(ctx, who, also, func(keys []erasure.Key) (event.Change, error) {
			var err error
			change.Events, err = decide(person, keys)
			return change, err
		})
		return err
	})
}
