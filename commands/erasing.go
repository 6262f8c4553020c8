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

// ConfirmErasure changes nothing if this erasure is done already. It refuses a second person
// who is not independent of the first. After an error that says that the database is not
// available it may be done: ask again.
func (d Desk) ConfirmErasure(ctx context.Context, c ConfirmErasure) error {
	second := erasure.Confirmation{Erasure: c.Erasure, By: event.MetadataFrom(ctx).Actor, At: d.instant()}
	return d.erase(ctx, c.Person, nil, func(p erasable, keys []erasure.Key) ([]event.Event, error) {
		made, err := p.ConfirmErasure(c.Holder, second, keys)
		if err == nil && len(made) > 0 && keys == nil { // before appends wait
			err = Independent(ctx, d.Erasures, c.Tenant, p.RequestedErasure(), second.By)
		}
		return made, err
	})
}

// Independent judges whether an actor may confirm an erasure that was requested at a
// practice, as [staff.Independent] does.
func Independent(ctx context.Context, erasures ErasureFacts, tenant string, request erasure.Request, by event.Actor) error {
	var accounts []staff.Account
	for _, actor := range []event.Actor{request.RequestedBy, by} {
		if actor.Kind != event.ByStaff {
			continue
		}
		account, err := erasures.AccountOf(ctx, tenant, actor.Member())
		if err != nil {
			return err
		}
		accounts = append(accounts, account)
	}
	return staff.Independent(request, by, accounts...)
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
	requested
	ConfirmErasure(person uuid.UUID, c erasure.Confirmation, keys []erasure.Key) ([]event.Event, error)
	EraseAgain(person uuid.UUID, done erasure.Done) []event.Event
}

// requested is the state of a request for an erasure.
type requested interface {
	RequestedErasure() erasure.Request
	WithdrawErasure(person uuid.UUID, w erasure.Withdrawal) ([]event.Event, error)
}

// person is somebody as a decision about them finds them.
type person struct {
	erasable
	change event.Change // which the decision fills
	mixed  error        // event.ErrForeign if nothing may be appended to their stream
}

// somebody loads a person.
func (d Desk) somebody(ctx context.Context, who erasure.Person) (person, error) {
	stream := streamOf(who)
	history, err := d.Store.Load(ctx, stream)
	change := event.Change{Stream: stream, Expected: len(history)}
	switch who.Kind {
	case event.OfStaff:
		return person{event.Fold[staff.Member](history...), change, unmixed[staff.Member](stream, history)}, err
	case event.OfPractitioner:
		return person{event.Fold[practitioner.Practitioner](history...), change, unmixed[practitioner.Practitioner](stream, history)}, err
	case event.OfPatient, event.OfRequest: // a request goes with its patient
	}
	return person{event.Fold[patient.Patient](history...), change, unmixed[patient.Patient](stream, history)}, err
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
		p, err := d.somebody(ctx, who)
		if err != nil {
			return err
		}
		if _, err := decide(p.erasable, nil); err != nil {
			return err
		}
		if p.mixed != nil {
			return p.mixed
		}
		_, err = d.Erasures.Erase(ctx, who, also, func(keys []erasure.Key) (event.Change, error) {
			var err error
			p.change.Events, err = decide(p.erasable, keys)
			return p.change, err
		})
		return err
	})
}
