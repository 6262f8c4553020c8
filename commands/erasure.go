package commands

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practitioner"
	"frontdesk/domain/staff"
)

// Erasures reads the extent of an erasure, and carries it out.
type Erasures interface {
	ErasureFacts
	// Erase destroys the keys of a person, in one transaction with the change that is
	// made of them. While change runs, no one else can append anything about the person.
	// It also destroys the keys of requests with one of the fingerprints in also.
	Erase(ctx context.Context, who erasure.Person, also []string, change func([]erasure.Key) (event.Change, error)) ([]event.Recorded, error)
}

// ErasureFacts reads the facts that the two people of an erasure, and its rules, need.
type ErasureFacts interface {
	// ExtentOf counts the data that are erased with a person.
	ExtentOf(ctx context.Context, who erasure.Person) (Extent, error)
	// PractitionerKnownBy returns the practitioner that calls have named with an e-mail
	// address, or practitioner.ErrUnknown.
	PractitionerKnownBy(ctx context.Context, tenant, email string) (practitioner.ID, error)
	Accounts
}

// Accounts reads how members of staff came to sign in.
type Accounts interface {
	AccountOf(ctx context.Context, tenant string, member uuid.UUID) (staff.Account, error)
}

// Extent counts the data that are erased with a person.
type Extent struct {
	Events int // they stay, unreadable
	Files  int // they are deleted
	Rows   int // of read models; they are deleted
}

// ErasureAsked is the answer to the first of two people.
type ErasureAsked struct {
	Erasure erasure.ID
	Person  erasure.Person
	Extent  Extent
	From    time.Time // when another person may confirm it
	Until   time.Time
}

// ErasePatient requests the erasure of a patient.
type ErasePatient struct {
	Tenant  string
	Patient patient.ID
	Basis   erasure.Basis
	Reason  string // contains no name
}

// ErasePatient erases nothing yet: another person has to confirm it.
func (d Desk) ErasePatient(ctx context.Context, c ErasePatient) (ErasureAsked, error) {
	return requestErasure(ctx, d, erasure.Person{Tenant: c.Tenant, Kind: event.OfPatient, Holder: c.Patient.UUID}, c.Basis, c.Reason,
		func(p patient.Patient, r erasure.Request) ([]event.Event, error) {
			return p.RequestErasure(c.Patient, r)
		})
}

// EraseStaff requests the erasure of a member of staff who has left.
type EraseStaff struct {
	Tenant   string
	Username string
	Basis    erasure.Basis
	Reason   string // contains no name
}

// EraseStaff erases nothing yet: another person has to confirm it.
func (d Desk) EraseStaff(ctx context.Context, c EraseStaff) (ErasureAsked, error) {
	id, err := d.Staff.AnyStaffByUsername(ctx, c.Tenant, c.Username)
	if err != nil {
		return ErasureAsked{}, err
	}
	return requestErasure(ctx, d, erasure.Person{Tenant: c.Tenant, Kind: event.OfStaff, Holder: id.UUID}, c.Basis, c.Reason,
		staff.Member.RequestErasure)
}

// ErasePractitioner requests the erasure of a practitioner that applications have named
// in their calls.
type ErasePractitioner struct {
	Tenant string
	Email  string
	Basis  erasure.Basis
	Reason string // contains no name
}

// ErasePractitioner erases nothing yet: another person has to confirm it.
func (d Desk) ErasePractitioner(ctx context.Context, c ErasePractitioner) (ErasureAsked, error) {
	id, err := d.Erasures.PractitionerKnownBy(ctx, c.Tenant, strings.ToLower(c.Email))
	if err != nil {
		return ErasureAsked{}, err
	}
	return requestErasure(ctx, d, erasure.Person{Tenant: c.Tenant, Kind: event.OfPractitioner, Holder: id.UUID}, c.Basis, c.Reason,
		func(p practitioner.Practitioner, r erasure.Request) ([]event.Event, error) {
			return p.RequestErasure(id, r)
		})
}

// requestErasure takes the first step, in the name of the acting person.
func requestErasure[S event.State[S]](ctx context.Context, d Desk, who erasure.Person, basis erasure.Basis, reason string,
	decide func(S, erasure.Request) ([]event.Event, error),
) (ErasureAsked, error) {
	r := erasure.Request{
		Erasure: erasure.ID{UUID: event.NewID()}, Basis: basis, Reason: strings.TrimSpace(reason),
		RequestedBy: event.MetadataFrom(ctx).Actor, RequestedAt: d.instant(),
	}
	extent, err := d.Erasures.ExtentOf(ctx, who)
	if err != nil {
		return ErasureAsked{}, err
	}
	err = Update(ctx, d.Store, streamOf(who), func(s S) ([]event.Event, error) { return decide(s, r) })
	return ErasureAsked{r.Erasure, who, extent, r.RequestedAt.Add(erasure.Soonest), r.RequestedAt.Add(erasure.Latest)}, err
}

// WithdrawErasure ends a request for an erasure.
type WithdrawErasure struct {
	erasure.Person
	Erasure erasure.ID
	Reason  string
}

// WithdrawErasure leaves everything as it was before the request.
func (d Desk) WithdrawErasure(ctx context.Context, c WithdrawErasure) error {
	return retry(ctx, func() error {
		p, err := d.person(ctx, c.Person)
		if err != nil {
			return err
		}
		p.change.Events, err = p.WithdrawErasure(c.Holder, erasure.Withdrawal{Erasure: c.Erasure, Reason: strings.TrimSpace(c.Reason)})
		if err := cmp.Or(err, p.mixed); err != nil {
			return err
		}
		_, err = d.Store.Append(ctx, p.change)
		return err
	})
}

// HoldErasure keeps a patient from being erased.
type HoldErasure struct {
	Tenant  string
	Patient patient.ID
	Reason  string // contains no name
}

// HoldErasure returns the hold's identifier, which lifts it.
func (d Desk) HoldErasure(ctx context.Context, c HoldErasure) (erasure.HoldID, error) {
	hold := erasure.Hold{Hold: erasure.HoldID{UUID: event.NewID()}, Reason: strings.TrimSpace(c.Reason)}
	return hold.Hold, Update(ctx, d.Store, patient.StreamOf(c.Tenant, c.Patient), func(p patient.Patient) ([]event.Event, error) {
		return p.HoldErasure(c.Patient, hold)
	})
}

// LiftErasureHold ends a hold.
type LiftErasureHold struct {
	Tenant  string
	Patient patient.ID
	Hold    erasure.HoldID
	Reason  string // contains no name
}

// LiftErasureHold ends this hold and no other.
func (d Desk) LiftErasureHold(ctx context.Context, c LiftErasureHold) error {
	return Update(ctx, d.Store, patient.StreamOf(c.Tenant, c.Patient), func(p patient.Patient) ([]event.Event, error) {
		return p.LiftErasureHold(c.Patient, erasure.Hold{Hold: c.Hold, Reason: strings.TrimSpace(c.Reason)})
	})
}

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
			request := p.RequestedErasure()
			err = Independent(ctx, d.Erasures, c.Tenant, request.RequestedBy, request.RequestedAt, second.By)
		}
		return made, err
	})
}

// Independent judges whether an actor may confirm what another one requested at a practice,
// as [staff.Independent] does.
func Independent(ctx context.Context, accountsOf Accounts, tenant string, requestedBy event.Actor, at time.Time, by event.Actor) error {
	var accounts []staff.Account
	for _, actor := range []event.Actor{requestedBy, by} {
		if actor.Kind != event.ByStaff {
			continue
		}
		account, err := accountsOf.AccountOf(ctx, tenant, actor.Member())
		if err != nil {
			return err
		}
		accounts = append(accounts, account)
	}
	return staff.Independent(requestedBy, at, by, accounts...)
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
		return p.EraseAgain(c.Holder, erasure.Reapplied(c.Erasure, by, keys)), nil
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
