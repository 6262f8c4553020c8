package postgres

import (
	"encoding"

	"github.com/jackc/pgx/v5/pgtype"
)

// Identifiers travel as 16 bytes. By itself pgx takes google/uuid's type, and
// ours that embed it, for text: it tries and fails to encode each as anything
// else, prints it, and lets Postgres parse it. That was a fifth of an append.

// identifier is a uuid.UUID or a type that embeds one: nothing else has both.
type identifier interface {
	encoding.BinaryMarshaler
	URN() string
}

// scannedIdentifier is a pointer to one.
type scannedIdentifier interface {
	encoding.BinaryUnmarshaler
	URN() string
}

// registerIdentifiers teaches a connection's types what identifiers are.
func registerIdentifiers(types *pgtype.Map) {
	types.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{wrapIdentifier}, types.TryWrapEncodePlanFuncs...)
	types.TryWrapScanPlanFuncs = append([]pgtype.TryWrapScanPlanFunc{wrapScannedIdentifier}, types.TryWrapScanPlanFuncs...)
}

func wrapIdentifier(value any) (plan pgtype.WrappedEncodePlanNextSetter, next any, ok bool) {
	id, ok := value.(identifier)
	return &encodeIdentifier{}, sixteen{id}, ok
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

// UUIDValue implements [pgtype.UUIDValuer].
func (s sixteen) UUIDValue() (pgtype.UUID, error) {
	raw, err := s.MarshalBinary()
	return pgtype.UUID{Bytes: [16]byte(raw), Valid: true}, err
}

func wrapScannedIdentifier(target any) (plan pgtype.WrappedScanPlanNextSetter, next any, ok bool) {
	id, ok := target.(scannedIdentifier)
	return &scanIdentifier{}, &intoIdentifier{id}, ok
}

type scanIdentifier struct{ next pgtype.ScanPlan }

// SetNext implements [pgtype.WrappedScanPlanNextSetter].
func (s *scanIdentifier) SetNext(next pgtype.ScanPlan) { s.next = next }

// Scan implements [pgtype.ScanPlan].
func (s *scanIdentifier) Scan(src []byte, target any) error {
	return s.next.Scan(src, &intoIdentifier{target.(scannedIdentifier)})
}

// intoIdentifier is where pgx's own codec puts an identifier.
type intoIdentifier struct{ target scannedIdentifier }

// ScanUUID implements [pgtype.UUIDScanner]. NULL leaves the target as it is,
// as google/uuid has it.
func (i *intoIdentifier) ScanUUID(v pgtype.UUID) error {
	if !v.Valid {
		return nil
	}
	return i.target.UnmarshalBinary(v.Bytes[:])
}
