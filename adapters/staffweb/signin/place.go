package signin

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"frontdesk/domain/site"
	"frontdesk/domain/staff"
)

// Place is where a member works during a session: the site and the clinician whose
// appointments they see, and the room into which they call patients. Each may be zero.
type Place struct {
	Site      site.ID
	Room      site.RoomID
	Clinician staff.ID
}

func placeOf(at, room, with *uuid.UUID) (p Place) {
	if with != nil {
		p.Clinician.UUID = *with
	}
	if at != nil {
		p.Site.UUID = *at
	}
	if room != nil {
		p.Room.UUID = *room
	}
	return p
}

// KeepPlace stores the place of a session, so that pages begin there.
func (s Sessions) KeepPlace(ctx context.Context, tenant string, of Session, p Place) error {
	_, err := s.DB.Exec(ctx, `UPDATE staff_sessions SET site = $3, room = $4, clinician = $5 WHERE token_hash = $1 AND tenant = $2`,
		hashOf(of.Token), tenant, orNull(p.Site.UUID), orNull(p.Room.UUID), orNull(p.Clinician.UUID))
	if err != nil {
		return fmt.Errorf("keep the place of a session: %w", err)
	}
	return nil
}

// orNull is NULL for the zero identifier.
func orNull(id uuid.UUID) *uuid.UUID {
	if id == uuid.Nil {
		return nil
	}
	return &id
}
