package postgres

import (
	"encoding"
	"reflect"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// Identifiers are sent to Postgres as 16 bytes. Without this file, pgx sends google/uuid's
// type, and our types that embed it, as text: it tries every other encoding first,
// then prints the identifier and lets Postgres parse it. In the benchmark of
// appends that took a fifth of the program's CPU time.

// identifier is a uuid.UUID or a type that embeds one: nothing else has both.
type identifier interface {
	encoding.BinaryMarshaler
	URN() string
}

// registerIdentifiers makes a connection encode identifiers as 16 bytes.
func registerIdentifiers(types *pgtype.Map) {
	types.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{wrapIdentifier}, types.TryWrapEncodePlanFuncs...)
}

func wrapIdentifier(value any) (plan pgtype.WrappedEncodePlanNextSetter, next any, ok bool) {
	id, ok := value.(identifier)
	if _, wrapped := value.(sixteen); wrapped || !ok {
		return nil, nil, false
	}
	return &encodeIdentifier{}, sixteen{id}, true
}

type encodeIdentifier struct{ next pgtype.EncodePlan }

// SetNext takes the plan that encodes a [sixteen].
func (e *encodeIdentifier) SetNext(next pgtype.EncodePlan) { e.next = next }

// Encode appends the 16 bytes of an identifier to buf.
func (e *encodeIdentifier) Encode(value any, buf []byte) ([]byte, error) {
	return e.next.Encode(sixteen{value.(identifier)}, buf)
}

// sixteen is an identifier in the form that pgx's own codec takes.
type sixteen struct{ identifier }

// UUIDValue returns the 16 bytes, or NULL for a nil pointer.
func (s sixteen) UUIDValue() (pgtype.UUID, error) {
	if v := reflect.ValueOf(s.identifier); v.Kind() == reflect.Pointer && v.IsNil() {
		return pgtype.UUID{}, nil
	}
	raw, err := s.MarshalBinary()
	return pgtype.UUID{Bytes: [16]byte(raw), Valid: true}, err
}

// Nullable returns an identifier as an optional column holds it: a nil pointer is NULL.
func Nullable(id *uuid.UUID) pgtype.UUID {
	if id == nil {
		return pgtype.UUID{}
	}
	return pgtype.UUID{Bytes: *id, Valid: true}
}

// IDOrNull returns an identifier as an optional column holds it: the zero one is
// NULL.
func IDOrNull(id uuid.UUID) pgtype.UUID { return pgtype.UUID{Bytes: id, Valid: id != uuid.Nil} }

// TimeOrNull returns an instant as an optional column holds it: the zero one is
// NULL.
func TimeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
