package commands

import (
	"context"
	"time"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

// RegisterPractice registers a medical practice as a tenant of the service.
type RegisterPractice struct {
	Tenant   string // a DNS label
	Name     string
	TimeZone string // an IANA name; "" means Europe/London
}

// RegisterPractice refuses a tenant identifier that another practice has.
func (d Desk) RegisterPractice(ctx context.Context, c RegisterPractice) error {
	return Update(ctx, d.Store, practice.StreamOf(c.Tenant), func(p practice.Practice) ([]event.Event, error) {
		return p.Register(c.Tenant, c.Name, c.TimeZone)
	})
}

// ClosePractice stops a practice from accepting requests of any type.
type ClosePractice struct {
	Tenant string
	From   time.Time // zero for now
	Until  time.Time // exclusive; zero if it lasts until the practice is reopened
}

// ClosePractice adds a closure, and leaves the others unchanged.
func (d Desk) ClosePractice(ctx context.Context, c ClosePractice) error {
	return d.closures(ctx, c.Tenant, func(closures practice.Closures) ([]event.Event, error) {
		return closures.Close(c.From, c.Until, d.Now())
	})
}

// ReopenPractice ends a closure.
type ReopenPractice struct {
	Tenant string
	From   time.Time // when the closure ends; zero for now
}

// ReopenPractice ends the closure that covers the instant, and leaves the others
// unchanged. If the instant is the beginning of a planned closure, that closure is
// cancelled.
func (d Desk) ReopenPractice(ctx context.Context, c ReopenPractice) error {
	return d.closures(ctx, c.Tenant, func(closures practice.Closures) ([]event.Event, error) {
		if c.From.IsZero() {
			return closures.Reopen(d.Now())
		}
		return closures.Reopen(c.From)
	})
}

// SetSubjectAccessInformation replaces what a practice tells patients with a copy of their
// data.
type SetSubjectAccessInformation struct {
	Tenant string
	Texts  map[practice.Topic]string // of the topics to change
	Seen   int                       // the version that the author has read; negative for no check
}

// SetSubjectAccessInformation refuses with practice.ErrInformationChanged if the texts have
// another version than the one that was seen.
func (d Desk) SetSubjectAccessInformation(ctx context.Context, c SetSubjectAccessInformation) error {
	if err := d.knowPractice(ctx, c.Tenant); err != nil {
		return err
	}
	return Update(ctx, d.Store, practice.InformationStream(c.Tenant), func(i practice.Information) ([]event.Event, error) {
		return i.Set(c.Texts, c.Seen)
	})
}

// SetNoteTemplate changes a note template of a practice, adds it or, with an empty text, removes it.
type SetNoteTemplate struct {
	Tenant     string
	Name, Text string
	Was        *string // the text that the author has read, "" for none; nil for no check
}

// SetNoteTemplate refuses with practice.ErrNoteTemplateChanged if the template has another text
// than the one that was read.
func (d Desk) SetNoteTemplate(ctx context.Context, c SetNoteTemplate) error {
	if err := d.knowPractice(ctx, c.Tenant); err != nil {
		return err
	}
	return Update(ctx, d.Store, practice.NoteTemplateStream(c.Tenant), func(n practice.NoteTemplates) ([]event.Event, error) {
		return n.Set(c.Name, c.Text, c.Was)
	})
}

// EnableApplication lets an application call for a practice.
type EnableApplication struct {
	Tenant      string
	Application application.ID
}

// EnableApplication changes nothing if the application is enabled already.
func (d Desk) EnableApplication(ctx context.Context, c EnableApplication) error {
	return d.enablement(ctx, c.Tenant, c.Application, func(e practice.Enablement) ([]event.Event, error) {
		return e.Enable(c.Application)
	})
}

// DisableApplication stops an application from calling for a practice.
type DisableApplication struct {
	Tenant      string
	Application application.ID
}

// DisableApplication takes effect with the next call.
func (d Desk) DisableApplication(ctx context.Context, c DisableApplication) error {
	return d.enablement(ctx, c.Tenant, c.Application, func(e practice.Enablement) ([]event.Event, error) {
		return e.Disable(c.Application)
	})
}

// closures takes a decision about a practice's closures, and appends it.
func (d Desk) closures(ctx context.Context, tenant string, decide func(practice.Closures) ([]event.Event, error)) error {
	if err := d.knowPractice(ctx, tenant); err != nil {
		return err
	}
	return Update(ctx, d.Store, practice.ClosuresStream(tenant), decide)
}

// enablement takes a decision about enabling an application at a practice, and appends
// it.
func (d Desk) enablement(ctx context.Context, tenant string, app application.ID,
	decide func(practice.Enablement) ([]event.Event, error),
) error {
	if err := d.knowBoth(ctx, tenant, app); err != nil {
		return err
	}
	return Update(ctx, d.Store, practice.EnablementStream(tenant, app), decide)
}
