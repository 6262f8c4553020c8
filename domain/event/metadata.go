package event

import (
	"context"
	"encoding/hex"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/uuid"
)

// Metadata is the actor of an event and its context.
type Metadata struct {
	Actor       Actor     `json:"actor"`
	RequestID   string    `json:"requestId,omitempty"`   // ours, one for each call
	Correlation string    `json:"correlation,omitempty"` // the caller's own request id
	Causation   uuid.UUID `json:"causation,omitzero"`    // the event that this one reacts to

	Idempotency Idempotency `json:"idempotency,omitzero"`
}

// Idempotency identifies a repeated call. It is zero for a call without an
// Idempotency-Key.
type Idempotency struct {
	Tenant string `json:"tenant,omitempty"`        // in the address of the call; "" for the stream's
	Key    Digest `json:"key"`                     // of the caller and the Idempotency-Key
	Body   string `json:"body" personal:"subject"` // SHA-256 of the body, byte for byte, in hexadecimal: a short body could be guessed
	Answer string `json:"answer,omitempty"`        // to the call, byte for byte; without personal data
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

// MetadataFrom returns the metadata of appends under ctx. Without any, the actor is the
// service itself.
func MetadataFrom(ctx context.Context) Metadata {
	if m, ok := ctx.Value(metadataKey{}).(Metadata); ok {
		return m
	}
	return Metadata{Actor: Service("frontdesk")}
}

// Digest is a SHA-256, stored as 64 hexadecimal digits.
type Digest [32]byte

// IsZero reports whether the digest is unset. JSON leaves out such a digest if its
// field has omitzero.
func (d Digest) IsZero() bool { return d == Digest{} }

// String returns the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText returns the stored form of the digest: 64 hexadecimal digits.
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText parses exactly 64 hexadecimal digits.
func (d *Digest) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(d) {
		return fmt.Errorf("a SHA-256 has %d hexadecimal digits, not %d", 2*len(d), len(text))
	}
	_, err := hex.Decode(d[:], text)
	return err
}
