package postgres

import (
	"encoding"
	"reflect"

	"github.com/jackc/pgx/v5/pgtype"
)

// Identifiers go in as 16 bytes. By itself pgx takes google/uuid's type, and
// ours that embed it, for text: it tries and fails to encode each as anything
// else, prints it, and lets Postgres parse it: a fifth of the program's CPU time
// in the benchmark of appends.

// identifier is a uuid.UUID or a type that embeds one: nothing else has both.
type identifier interface {
	encoding.BinaryMarshaler
	URN() string
}

// registerIdentifiers teaches a connection's types what identifiers are.
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

// SetNext implements [pgtype.WrappedEncodePlanNextSetter].
func (e *encodeIdentifier) SetNext(next pgtype.EncodePlan) { e.next = next }

// Encode implements [pgtype.EncodePlan].
func (e *encodeIdentifier) Encode(value any, buf []byte) ([]byte, error) {
	return e.next.Encode(sixteen{value.(identifier)}, buf)
}

// sixteen is an identifier as pgx's own codec wants it.
type sixteen struct{ identifier }

// UUIDValue implements [pgtype.UUIDValuer]. A pointer to nothing is NULL.
func (s sixteen) UUIDValue() (pgtype.UUID, error) {
	if v := reflect.ValueOf(s.identifier); v.Kind() == reflect.Pointer && v.IsNil() {
		return pgtype.UUID{}, nil
	}
	raw, err := s.MarshalBinary()
	return pgtype.UUID{Bytes: [16]byte(raw), Valid: true}, err
}
