package commands

import (
	"context"
	"fmt"

	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/site"
)

// CallInPatient sets an appointment's arrival status to Called In (§6.1).
type CallInPatient struct {
	Tenant      string
	Appointment appointment.ID
	Room        site.RoomID // zero: none is assigned
}

// CallInPatientHandler handles [CallInPatient].
type CallInPatientHandler struct {
	Store Store
	Now   Clock
}

// Handle calls the patient in, or returns the rule that refuses it. The same
// room again changes nothing (D33).
func (h CallInPatientHandler) Handle(ctx context.Context, c CallInPatient) error {
	room, err := h.room(ctx, c)
	if err == nil {
		stream := appointment.StreamOf(c.Tenant, c.Appointment)
		err = Update(ctx, h.Store, stream, func(a appointment.Appointment) ([]event.Event, error) {
			return a.CallIn(c.Room, room, h.Now())
		})
	}
	if err != nil {
		return fmt.Errorf("call in patient: %w", err)
	}
	return nil
}

func (h CallInPatientHandler) room(ctx context.Context, c CallInPatient) (site.Room, error) {
	if c.Room == (site.RoomID{}) {
		return site.Room{}, nil
	}
	return Load[site.Room](ctx, h.Store, site.RoomStreamOf(c.Tenant, c.Room))
}
