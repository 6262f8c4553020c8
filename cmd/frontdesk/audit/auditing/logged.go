package auditing

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// Logged is an event as a machine reads it.
type Logged struct {
	Idx        int64           `json:"idx"`
	ID         uuid.UUID       `json:"id"`
	Name       string          `json:"name"`
	Tenant     string          `json:"tenant"`
	Stream     uuid.UUID       `json:"stream"`
	Version    int             `json:"version"`
	RecordedAt time.Time       `json:"recordedAt"`
	Actor      json.RawMessage `json:"actor"`
	Data       json.RawMessage `json:"data"`
}

// LoggedOf returns an event as it is shown, with personal data or without.
func LoggedOf(e event.Recorded, personal bool) (Logged, error) {
	show := event.Redacted
	if personal {
		show = event.WithoutSecrets
	}
	data, err := show(e.Event)
	if err != nil {
		return Logged{}, err
	}
	actor, err := show(e.Metadata.Actor)
	return Logged{
		Idx: e.Idx, ID: e.ID, Name: e.EventName(), Tenant: e.Stream.Tenant, Stream: e.Stream.ID,
		Version: e.Version, RecordedAt: e.At, Actor: actor, Data: data,
	}, err
}
