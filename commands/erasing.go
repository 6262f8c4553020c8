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

// ConfirmErasure erases a person, as another person has requested.
type ConfirmErasure struct {
	erasure.Person
	Erasure erasure.ID
}

// ConfirmErasure changes nothing if this erasure is done already. It refuses a second person
// who is not independent of the first. The erasure may be done in spite of an error that
// the database is not available: ask again.
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

// ReapplyErasure erases a person that a restored backup has brought back.
type ReapplyErasure struct {
	erasure.Person
	Erasure      erasure.ID
	Fingerprints []string // of the keys that were destroyed, as far as they are known
}

// ReapplyErasure destroys the keys of the person that exist. It appends nothing if the
// person is erased.
func (d Desk) ReapplyErasure(ctx context.Context, c ReapplyErasure) error {
	by := event.MetadataFrom(ctx).Actor
	return d.erase(ctx, c.Person, c.Fingerprints, func(p erasable, keys []erasure.Key) ([]event.Event, error) {
		return p.EraseAgain(c.Holder, erasure.Again(c.Erasure, by, keys)), nil
	})
}

// erasable is the state of a person who can be erased.
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

// person is the state of a person before a decision about them.
type person struct {
	erasable
	change event.Change // to be filled with the events of the decision
	mixed  error        // event.ErrForeign if nothing may be appended to their stream
}

// person loads a person.
func (d Desk) person(ctx context.Context, who erasure.Person) (person, error) {
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

// erase decides with the keys that are about to be destroyed. It decides once before
// without them, so that a refusal does not make appends wait.
func (d Desk) erase(ctx context.Context, who erasure.Person, also []string, decide func(erasable, []erasure.Key) ([]event.Event, error)) error {
	return retry(ctx, func() error {
		p, err := d.person(ctx, who)
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
