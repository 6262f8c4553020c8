package commands

import (
	"context"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/site"
)

// Desk receives every intent, from the API, the staff pages and the command line (D39).
// A field that an intent does not use may be left out.
type Desk struct {
	Store      Store
	Patients   Patients
	Staff      Staff
	Links      Links
	Receptions Receptions
	Responses  IdempotentResponses
	Passwords  Passwords
	Vault      KeyVault
	Erasures   Erasures
	// CheckURL refuses an address that this deployment would never fetch from or send
	// to, with a *fault.Error.
	CheckURL func(rawURL string) error
	Now      func() time.Time
	// AuthorisationLifetime is the duration of an authorisation of staff.
	AuthorisationLifetime time.Duration
}

// instant returns the time in microseconds, as all times are stored.
func (d Desk) instant() time.Time { return d.Now().UTC().Truncate(time.Microsecond) }

// newID returns the identifier of a new object and of its stream. No caller chooses it:
// an attacker who begins a stream takes it from its owner (D116). A caller who may
// repeat a creation names it by once. Then the identifier is derived from that name,
// the kind of object and its owners, practice first, so that it is the same each time
// and unique to it. Otherwise once is "".
func newID(kind, once string, of ...string) uuid.UUID {
	if once == "" {
		return event.NewID()
	}
	return event.DerivedID(kind, append(of, once)...)
}

// begin appends the first events of a stream whose identifier was generated just now.
// There is nothing to load and no competing writer. The database may still require
// another attempt, as after a deadlock.
func (d Desk) begin(ctx context.Context, stream event.Stream, events ...event.Event) error {
	return d.append(ctx, event.Change{Stream: stream, Events: events})
}

// beginOfPatient is begin for events about a patient. It refuses with patient.ErrUnknown
// unless the practice has the patient.
func (d Desk) beginOfPatient(ctx context.Context, stream event.Stream, events ...event.Event) error {
	return d.append(ctx, event.Change{Stream: stream, Events: events, OfPatient: true})
}

func (d Desk) append(ctx context.Context, change event.Change) error {
	return retry(ctx, func() error {
		_, err := d.Store.Append(ctx, change)
		return err
	})
}

// Each of these refuses with ErrUnknown of the noun's package unless the object exists.
// A patient or site of another practice does not.

func (d Desk) knowPractice(ctx context.Context, tenant string) error {
	p, err := Load[practice.Practice](ctx, d.Store, practice.StreamOf(tenant))
	if err != nil {
		return err
	}
	return p.Known()
}

func (d Desk) knowApplication(ctx context.Context, id application.ID) error {
	a, err := Load[application.Application](ctx, d.Store, application.StreamOf(id))
	if err != nil {
		return err
	}
	return a.Known()
}

// knowBoth refuses unless the practice and the application are registered.
func (d Desk) knowBoth(ctx context.Context, tenant string, app application.ID) error {
	if err := d.knowPractice(ctx, tenant); err != nil {
		return err
	}
	return d.knowApplication(ctx, app)
}

func (d Desk) knowPatient(ctx context.Context, tenant string, id patient.ID) error {
	exists, err := d.Patients.PatientExists(ctx, tenant, id)
	if err != nil {
		return err
	}
	if !exists {
		return patient.ErrUnknown
	}
	return nil
}

func (d Desk) knowSite(ctx context.Context, tenant string, id site.ID) error {
	s, err := Load[site.Site](ctx, d.Store, site.StreamOf(tenant, id))
	if err != nil {
		return err
	}
	return s.Known()
}
