package event

import (
	"context"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/uuid"
)

// ActorKind says what sort of actor caused an event.
type ActorKind string

// The kinds of actor.
const (
	ByApplication ActorKind = "application" // an application on its own account (application-restricted)
	ByStaff       ActorKind = "staff"       // a member of staff, in person or through an application
	ByOperator    ActorKind = "operator"    // somebody at the machine's command line
	ByService     ActorKind = "service"     // frontdesk itself
)

// Actor is who caused an event.
type Actor struct {
	Kind        ActorKind   `json:"kind"`
	ID          string      `json:"id"`                   // application id, staff id or the operator's user name
	Application uuid.UUID   `json:"application,omitzero"` // the application that called, if one did
	Mode        string      `json:"mode,omitempty"`       // the mode it called in (§5.3)
	OnBehalfOf  *OnBehalfOf `json:"onBehalfOf,omitempty"` // the act claim, if the call had one (§5.2)
}

// String is the actor as the audit log shows it: "staff:018f…".
func (a Actor) String() string { return string(a.Kind) + ":" + a.ID }

// OnBehalfOf is the practitioner and organisation of a token's act claim
// (§2.7). It is hearsay of the application, kept for audit.
type OnBehalfOf struct {
	Practitioner Practitioner `json:"practitioner"`
	Organisation Organisation `json:"organisation"`
}

// Practitioner is the person of an act claim.
type Practitioner struct {
	Name      string `json:"name" personal:"staff"`
	Email     string `json:"email" personal:"staff"`
	GMCNumber string `json:"gmcNumber,omitempty" personal:"staff"`
}

// Organisation is the organisation of an act claim.
type Organisation struct {
	Name    string `json:"name"`
	ODSCode string `json:"odsCode,omitempty"`
}

// Metadata says who caused an event and in the course of what.
type Metadata struct {
	Actor       Actor     `json:"actor"`
	RequestID   string    `json:"requestId,omitempty"`   // ours, one per call (D19)
	Correlation string    `json:"correlation,omitempty"` // the caller's own request id (D19)
	Causation   uuid.UUID `json:"causation,omitzero"`    // the event that this one reacts to

	// Idempotency is set where the call was made with an Idempotency-Key.
	Idempotency Idempotency `json:"idempotency,omitzero"`
}

// Idempotency is by what a call is recognised that is made again (D22).
type Idempotency struct {
	Key  Digest `json:"key"`  // of who calls and of the Idempotency-Key
	Body Digest `json:"body"` // of the body, byte for byte
}

// ParseMetadata is metadata as it is stored.
func ParseMetadata(text []byte) (m Metadata, err error) {
	if err := jsonv2.Unmarshal(text, &m); err != nil {
		return Metadata{}, fmt.Errorf("decode metadata: %w", err)
	}
	return m, nil
}

type metadataKey struct{}

// WithMetadata returns a context whose appends carry m.
func WithMetadata(ctx context.Context, m Metadata) context.Context {
	return context.WithValue(ctx, metadataKey{}, m)
}

// MetadataFrom is the metadata that appends under ctx carry. Without any, the
// actor is the service itself.
func MetadataFrom(ctx context.Context) Metadata {
	if m, ok := ctx.Value(metadataKey{}).(Metadata); ok {
		return m
	}
	return Metadata{Actor: Actor{Kind: ByService, ID: "frontdesk"}}
}
