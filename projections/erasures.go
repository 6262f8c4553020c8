package projections

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practitioner"
	"frontdesk/domain/staff"
)

// Erasures keeps the erased people, and the requests that were erased with them. Each
// append looks there before it stores anything about a person, and each reader before it
// reports that a key is lost.
type Erasures struct{ DB Querier }

// Name returns the permanent name.
func (Erasures) Name() string { return "erasures.v1" }

// Project keeps a row for each holder whose key was destroyed, and for a person who never
// had a key. Only a rebuild calls it: in an append, the database inserts these rows itself
// (erase_by_event).
func (Erasures) Project(r event.Recorded, do func(sql string, args ...any)) {
	done, erased := erasureBy(r.Event)
	if !erased {
		return
	}
	var kinds []int16
	var holders []uuid.UUID
	var fingerprints []string
	for _, k := range done.Keys {
		kinds, holders, fingerprints = append(kinds, int16(k.Kind)), append(holders, k.Holder), append(fingerprints, k.Fingerprint)
	}
	do(`INSERT INTO erasures (tenant, kind, holder, fingerprint, erased_at, erasure, stream, version)
		SELECT $1, k.kind, k.holder, k.fingerprint, $5, $6, $7, $8
		FROM unnest($2::smallint[], $3::uuid[], $4::text[]) AS k (kind, holder, fingerprint) ON CONFLICT DO NOTHING`,
		r.Stream.Tenant, kinds, holders, fingerprints, r.At, done.Erasure, r.Stream.ID, r.Version)
}

// erasureBy returns the erasure of an event that is the last about a person.
func erasureBy(e event.Event) (done erasure.Done, erased bool) {
	switch e := e.(type) {
	case patient.Erased:
		return e.Done, true
	case staff.Erased:
		return e.Done, true
	case practitioner.Erased:
		return e.Done, true
	}
	return done, false
}

// erasureLines has a line for each person, with the fingerprints of all keys that were
// destroyed with them. One erasure erases a person and, of a patient, their requests.
const erasureLines = `
SELECT e.tenant, e.kind, e.holder, e.erasure, coalesce(l.idx, 0),
	ARRAY (SELECT k.fingerprint FROM erasures k WHERE k.tenant = e.tenant AND k.erasure = e.erasure AND k.erased_at = e.erased_at
		AND k.fingerprint <> '' ORDER BY k.kind, k.holder)
FROM erasures e
LEFT JOIN events v ON v.tenant = e.tenant AND v.stream = e.stream AND v.version = e.version
LEFT JOIN log l ON l.position = v.position
WHERE e.kind <> $1
ORDER BY e.erased_at, e.tenant, e.holder`

// Lines returns the lines of the ledger about the erased people, oldest first.
func (e Erasures) Lines(ctx context.Context) ([]erasure.Line, error) {
	rows, _ := e.DB.Query(ctx, erasureLines, event.OfRequest)
	lines, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l erasure.Line, err error) {
		return l, row.Scan(&l.Tenant, &l.Kind, &l.Holder, &l.Erasure, &l.Idx, &l.Fingerprints)
	})
	if err != nil {
		return nil, fmt.Errorf("list who is erased: %w", err)
	}
	return lines, nil
}

// restoredKeys finds the keys that a copy has brought back.
const restoredKeys = `
SELECT DISTINCT e.tenant, p.kind, p.holder, e.erasure
FROM personal_keys k JOIN erasures e USING (tenant, kind, holder)
JOIN erasures p ON p.tenant = e.tenant AND p.erasure = e.erasure AND p.kind <> $1`

// Kept returns the erased people who have a key all the same.
func (e Erasures) Kept(ctx context.Context) ([]erasure.Line, error) {
	rows, _ := e.DB.Query(ctx, restoredKeys, event.OfRequest)
	lines, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l erasure.Line, err error) {
		return l, row.Scan(&l.Tenant, &l.Kind, &l.Holder, &l.Erasure)
	})
	if err != nil {
		return nil, fmt.Errorf("look for keys of those who are erased: %w", err)
	}
	return lines, nil
}

// rowsOfPatient are the tables of read models whose rows go with a patient.
var rowsOfPatient = []string{
	"patients", "record_restrictions", "broken_glass", "record_entries", "timeline", "appointments", "authorisations", "attachments",
	"answers", "inbox", "erasure_requests",
}

// ExtentOf counts the data that are erased with a patient or a member of staff. It counts
// none of a practitioner: to find the events that name them, it would open all events.
func (e Erasures) ExtentOf(ctx context.Context, who erasure.Person) (extent commands.Extent, err error) {
	query, args := `SELECT count(*), 0, 1 FROM events WHERE stream = $1 AND tenant = $2`, []any{who.Holder, who.Tenant}
	if who.Kind == event.OfPatient {
		query = `SELECT (SELECT count(*) FROM events WHERE patient = $1 AND tenant = $2),
			(SELECT count(*) FROM attachments WHERE patient = $1 AND tenant = $2), 0`
		for _, table := range rowsOfPatient {
			query += ` + (SELECT count(*) FROM ` + table + ` WHERE patient = $1 AND tenant = $2)`
		}
	}
	if !slices.Contains([]event.HolderKind{event.OfPatient, event.OfStaff}, who.Kind) {
		return commands.Extent{}, nil
	}
	if err := e.DB.QueryRow(ctx, query, args...).Scan(&extent.Events, &extent.Files, &extent.Rows); err != nil {
		return extent, fmt.Errorf("count what is known of a person: %w", err)
	}
	return extent, nil
}

// CompletedErasure is an erasure that was confirmed. It identifies the person only to those
// who know their identifier.
type CompletedErasure struct {
	erasure.Person
	Erasure  erasure.ID
	ErasedAt time.Time
	Basis    erasure.Basis
	Finality erasure.Finality
}

// doneErasures has a row for each erased person. Of a patient, their requests go with them.
const doneErasures = `
SELECT e.tenant, e.kind, e.holder, e.erasure, e.erased_at, coalesce(v.data::jsonb ->> 'basis', ''),
	coalesce(f.final_from, 'epoch'), coalesce(f.final_since, 'epoch')
FROM erasures e JOIN erasure_finality f USING (tenant, kind, holder)
LEFT JOIN events v ON v.tenant = e.tenant AND v.stream = e.stream AND v.version = e.version
WHERE e.tenant = $1 AND e.kind <> $2`

// Done returns the erasures of a practice, newest first. before is the last erasure of the
// page before; the zero one begins with the newest. An erasure that the practice does not
// have gives an empty page.
func (e Erasures) Done(ctx context.Context, tenant string, before erasure.ID, most int) ([]CompletedErasure, error) {
	after := ""
	if before != (erasure.ID{}) {
		after = ` AND (e.erased_at, e.erasure) < (SELECT b.erased_at, b.erasure FROM erasures b WHERE b.tenant = $1 AND b.erasure = $4 AND b.kind <> $2)`
	}
	args := []any{tenant, event.OfRequest, most}
	if after != "" {
		args = append(args, before)
	}
	rows, _ := e.DB.Query(ctx, doneErasures+after+` ORDER BY e.erased_at DESC, e.erasure DESC LIMIT $3`, args...)
	return collectDone(rows)
}

// DoneOf returns one erasure; false if the practice does not have it.
func (e Erasures) DoneOf(ctx context.Context, tenant string, id uuid.UUID) (CompletedErasure, bool, error) {
	rows, _ := e.DB.Query(ctx, doneErasures+` AND e.erasure = $3`, tenant, event.OfRequest, id)
	all, err := collectDone(rows)
	if err != nil || len(all) == 0 {
		return CompletedErasure{}, false, err
	}
	return all[0], true, nil
}

func collectDone(rows pgx.Rows) ([]CompletedErasure, error) {
	epoch := time.Unix(0, 0)
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d CompletedErasure, err error) {
		err = row.Scan(&d.Tenant, &d.Kind, &d.Holder, &d.Erasure, &d.ErasedAt, &d.Basis, &d.Finality.From, &d.Finality.Since)
		for _, at := range []*time.Time{&d.Finality.From, &d.Finality.Since} {
			if at.Equal(epoch) {
				*at = time.Time{}
			}
		}
		return d, err
	})
	if err != nil {
		return nil, fmt.Errorf("list erasures: %w", err)
	}
	return all, nil
}
