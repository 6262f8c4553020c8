package signin

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"frontdesk/domain/site"
)

// Place is where a member works during a session: the site whose appointments they see,
// and the room into which they call patients. Both may be zero.
type Place struct {
	Site site.ID
	Room site.RoomID
}

func placeOf(at, room *uuid.UUID) (p Place) {
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
	_, err := s.DB.Exec(ctx, `UPDATE staff_sessions SET site = $3, room = $4 WHERE token_hash = $1 AND tenant = $2`,
		hashOf(of.Token), tenant, orNull(p.Site.UUID), orNull(p.Room.UUID))
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
