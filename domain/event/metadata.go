package event

import (
	"context"
	"encoding/hex"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/uuid"
)

// Metadata says who caused an event and in the course of what.
type Metadata struct {
	Actor       Actor     `json:"actor"`
	RequestID   string    `json:"requestId,omitempty"`   // ours, one for each call
	Correlation string    `json:"correlation,omitempty"` // the caller's own request id
	Causation   uuid.UUID `json:"causation,omitzero"`    // the event that this one reacts to

	Idempotency Idempotency `json:"idempotency,omitzero"`
}

// Idempotency recognises a call that is made again. It is zero for a call without an
// Idempotency-Key.
type Idempotency struct {
	Tenant string `json:"tenant,omitempty"`        // that the call addressed; "" for the stream's
	Key    Digest `json:"key"`                     // of the caller and the Idempotency-Key
	Body   string `json:"body" personal:"subject"` // SHA-256 of the body, byte for byte, in hexadecimal: a short body could be guessed
	Answer string `json:"answer,omitempty"`        // that the call was given, byte for byte; it says nothing personal
}

// ParseMetadata reads metadata as it is stored, in JSON.
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

// MetadataFrom returns the metadata that appends under ctx carry. If there is
// none, the actor is the service itself.
func MetadataFrom(ctx context.Context) Metadata {
	if m, ok := ctx.Value(metadataKey{}).(Metadata); ok {
		return m
	}
	return Metadata{Actor: Service("frontdesk")}
}

// Digest is a SHA-256, stored as 64 hexadecimal digits.
type Digest [32]byte

// IsZero reports whether nothing was hashed. JSON leaves out such a digest if
// its field says omitzero.
func (d Digest) IsZero() bool { return d == Digest{} }

// String returns the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText returns the digest as it is stored: 64 hexadecimal digits.
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText reads 64 hexadecimal digits, and no other number of them.
func (d *Digest) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(d) {
		return fmt.Errorf("a SHA-256 has %d hexadecimal digits, not %d", 2*len(d), len(text))
	}
	_, err := hex.Decode(d[:], text)
	return err
}
