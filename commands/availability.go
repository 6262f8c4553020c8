package commands

import (
	"context"
	"time"

	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/practice/hours"
	"frontdesk/domain/request"
)

// SwitchRequestTypeOff stops a practice from accepting requests of a type.
type SwitchRequestTypeOff struct {
	Tenant      string
	RequestType request.Type
}

// SwitchRequestTypeOff changes nothing if the type is switched off already.
func (d Desk) SwitchRequestTypeOff(ctx context.Context, c SwitchRequestTypeOff) error {
	return d.requestType(ctx, c.Tenant, c.RequestType, func(i practice.Intake) ([]event.Event, error) {
		return i.SwitchOff(c.RequestType)
	})
}

// SwitchRequestTypeOn lets a practice accept requests of a type again.
type SwitchRequestTypeOn struct {
	Tenant      string
	RequestType request.Type
}

// SwitchRequestTypeOn changes nothing if the type is not switched off.
func (d Desk) SwitchRequestTypeOn(ctx context.Context, c SwitchRequestTypeOn) error {
	return d.requestType(ctx, c.Tenant, c.RequestType, func(i practice.Intake) ([]event.Event, error) {
		return i.SwitchOn(c.RequestType)
	})
}

// PauseRequestType stops a practice from accepting requests of a type for a while.
type PauseRequestType struct {
	Tenant      string
	RequestType request.Type
	Until       time.Time // exclusive; zero if it lasts until it is resumed
}

// PauseRequestType gives a pause that has not ended yet the new end.
func (d Desk) PauseRequestType(ctx context.Context, c PauseRequestType) error {
	return d.requestType(ctx, c.Tenant, c.RequestType, func(i practice.Intake) ([]event.Event, error) {
		return i.Pause(c.RequestType, c.Until, d.Now())
	})
}

// ResumeRequestType ends a pause.
type ResumeRequestType struct {
	Tenant      string
	RequestType request.Type
}

// ResumeRequestType changes nothing if the type is not paused.
func (d Desk) ResumeRequestType(ctx context.Context, c ResumeRequestType) error {
	return d.requestType(ctx, c.Tenant, c.RequestType, func(i practice.Intake) ([]event.Event, error) {
		return i.Resume(c.RequestType, d.Now())
	})
}

// SetOpeningHours sets the hours in which a practice accepts requests of a type.
type SetOpeningHours struct {
	Tenant      string
	RequestType request.Type
	Hours       []string // like "mon 08:00-12:30", in the practice's time zone; none for all hours
}

// SetOpeningHours replaces the hours of the type.
func (d Desk) SetOpeningHours(ctx context.Context, c SetOpeningHours) error {
	week, err := hours.Parse(c.Hours)
	if err != nil {
		return err
	}
	return d.requestType(ctx, c.Tenant, c.RequestType, func(i practice.Intake) ([]event.Event, error) {
		return i.SetHours(c.RequestType, week)
	})
}

// requestType takes a decision about requests of a type at a practice, and appends it.
// It refuses unless the type and the practice exist.
func (d Desk) requestType(ctx context.Context, tenant string, typ request.Type,
	decide func(practice.Intake) ([]event.Event, error),
) error {
	if err := typ.Known(); err != nil {
		return err
	}
	if err := d.knowPractice(ctx, tenant); err != nil {
		return err
	}
	return Update(ctx, d.Store, practice.IntakeStream(tenant, typ), decide)
}
