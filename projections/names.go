package projections

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// Names finds the names of patients. No read model holds them: they are in the events
// of each patient's stream, encrypted.
type Names struct {
	DB    Querier
	Opens Opener
}

// PatientName is a patient's name and date of birth.
type PatientName struct {
	Name      string // [event.Erased] if the patient was erased just now
	BirthDate string // 2006-01-02; "" if unknown
}

// naming are the events that contain a patient's name. The last one counts.
var naming = []string{patient.Registered{}.EventName(), patient.DetailsChanged{}.EventName()}

// NameIn returns the patient's name in a decrypted event.
func NameIn(r event.Recorded) (name PatientName, of patient.ID) {
	switch e := r.Event.(type) {
	case patient.Registered:
		return PatientName{e.Name, e.BirthDate}, e.Patient
	case patient.DetailsChanged:
		return PatientName{e.Name, e.BirthDate}, e.Patient
	}
	return name, of
}

// lastOf finds the last event of certain names of each patient of the practice. It looks
// patients up one by one: otherwise Postgres may compare each with all others.
// Subscripts make Postgres keep one plan: with unnest it estimates better when it knows
// the array, and plans each time.
const lastOf = `
SELECT e.id, e.stream, e.version, e.name, e.data, e.metadata, e.sealed, e.recorded_at
FROM generate_subscripts($2::uuid[], 1) AS n
CROSS JOIN LATERAL (SELECT FROM patients WHERE tenant = $1 AND patient = ($2::uuid[])[n] OFFSET 0) p
CROSS JOIN LATERAL (SELECT * FROM events WHERE stream = ($3::uuid[])[n] AND tenant = $1 AND name = ANY ($4) ORDER BY version DESC LIMIT 1) e`

// AskNames returns the query for the events that name patients of a practice.
// [ScanStored] reads its rows.
func AskNames(tenant string, patients ...patient.ID) (sql string, args []any) {
	return askLast(tenant, naming, patients)
}

// askLast returns the query for the last event of certain names of each patient.
func askLast(tenant string, events []string, patients []patient.ID) (sql string, args []any) {
	ids, streams := make([]uuid.UUID, len(patients)), make([]uuid.UUID, len(patients))
	for n, id := range patients {
		ids[n], streams[n] = id.UUID, patient.StreamOf(tenant, id).ID
	}
	return lastOf, []any{tenant, ids, streams, events}
}

// ScanStored reads events of a practice by the columns that [AskNames] selects.
func ScanStored(rows pgx.Rows, tenant string) ([]event.Stored, error) {
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (event.Stored, error) {
		s := event.Stored{Stream: event.Stream{Tenant: tenant}}
		err := row.Scan(&s.ID, &s.Stream.ID, &s.Version, &s.Name, &s.Data, &s.Metadata, &s.Sealed, &s.At)
		return s, err
	})
}

// Find returns the names of patients of a practice. It leaves out unknown patients. It
// queries once for the events, and once for the keys that are not cached.
func (n Names) Find(ctx context.Context, tenant string, patients ...patient.ID) (map[patient.ID]PatientName, error) {
	if len(patients) == 0 {
		return nil, nil
	}
	opened, err := openLast(ctx, n.DB, n.Opens, tenant, naming, patients)
	if err != nil {
		return nil, fmt.Errorf("find names: %w", err)
	}
	names := make(map[patient.ID]PatientName, len(opened))
	for _, e := range opened {
		name, of := NameIn(e)
		names[of] = name
	}
	return names, nil
}

// openLast reads and decrypts the last event of certain names of each patient. It queries
// once for the events, and once for the keys that are not cached.
func openLast(ctx context.Context, db Querier, opens Opener, tenant string, events []string, patients []patient.ID) ([]event.Recorded, error) {
	if len(patients) == 0 {
		return nil, nil
	}
	found, err := readLast(ctx, db, tenant, events, patients)
	if err != nil {
		return nil, err
	}
	return opens.Open(ctx, found)
}

func readLast(ctx context.Context, db Querier, tenant string, events []string, patients []patient.ID) ([]event.Stored, error) {
	sql, args := askLast(tenant, events, patients)
	rows, _ := db.Query(ctx, sql, args...)
	return ScanStored(rows, tenant)
}
