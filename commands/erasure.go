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
	// AccountOf returns how a member of staff came to sign in.
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
