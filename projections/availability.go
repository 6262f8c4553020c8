package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/practice/hours"
	"frontdesk/domain/request"
)

// Availability keeps when each practice takes requests of each type. The check of a
// request and the patient portal both ask it, so that they cannot disagree.
type Availability struct{ DB Querier }

// Name returns the permanent name.
func (Availability) Name() string { return "availability.v1" }

// Project keeps a row for each request type that a practice has ever
// changed, and one for its closures.
func (Availability) Project(r event.Recorded, do func(sql string, args ...any)) {
	tenant := r.Stream.Tenant
	switch e := r.Event.(type) {
	case practice.RequestTypeSwitchedOff:
		do(setSwitchedOff, tenant, e.RequestType, true)
	case practice.RequestTypeSwitchedOn:
		do(setSwitchedOff, tenant, e.RequestType, false)
	case practice.RequestTypePaused:
		do(setPaused, tenant, e.RequestType, true, orNever(e.Until))
	case practice.RequestTypeResumed:
		do(setPaused, tenant, e.RequestType, false, nil)
	case practice.OpeningHoursSet:
		do(setHours, tenant, e.RequestType, e.Hours.Texts())
	case practice.Closed:
		do(addClosure, tenant, e.From, orNever(e.Until), r.At)
	case practice.Reopened:
		do(cutClosure, tenant, e.From, orNever(e.Until))
	}
}

const (
	setSwitchedOff = `INSERT INTO intakes (tenant, request_type, switched_off) VALUES ($1, $2, $3)
		ON CONFLICT (tenant, request_type) DO UPDATE SET switched_off = excluded.switched_off`
	setPaused = `INSERT INTO intakes (tenant, request_type, paused, paused_until) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant, request_type) DO UPDATE SET paused = excluded.paused, paused_until = excluded.paused_until`
	setHours = `INSERT INTO intakes (tenant, request_type, hours) VALUES ($1, $2, $3)
		ON CONFLICT (tenant, request_type) DO UPDATE SET hours = excluded.hours`

	// Closures that were over when the event was recorded are dropped, so that rows
	// stay short.
	addClosure = `INSERT INTO closures (tenant, spans) VALUES ($1, tstzmultirange(tstzrange($2, $3)))
		ON CONFLICT (tenant) DO UPDATE SET spans = closures.spans - tstzmultirange(tstzrange(NULL, $4)) + excluded.spans`
	cutClosure = `UPDATE closures SET spans = spans - tstzmultirange(tstzrange($2, $3)) WHERE tenant = $1`
)

// Admission answers in one query what is asked before a request is taken. A practice
// that does not exist has no patients.
func (a Availability) Admission(ctx context.Context, tenant string, id patient.ID, typ request.Type) (commands.Admission, error) {
	admission := commands.Admission{Reception: practice.Reception{Type: typ}}
	err := scanReception(a.DB.QueryRow(ctx, admissionFor, tenant, typ, id), &admission.Reception, &admission.PatientExists)
	if errors.Is(err, pgx.ErrNoRows) {
		return commands.Admission{}, nil
	}
	if err != nil {
		return commands.Admission{}, fmt.Errorf("read availability: %w", err)
	}
	return admission, nil
}

// admissionFor has one row, and none if there is no such practice.
const admissionFor = `
SELECT p.time_zone, coalesce(i.switched_off, false), coalesce(i.paused, false), i.paused_until, i.hours, c.spans,
	EXISTS (SELECT FROM patients WHERE tenant = $1 AND patient = $3)
FROM practices p
LEFT JOIN intakes i ON i.tenant = $1 AND i.request_type = $2
LEFT JOIN closures c ON c.tenant = $1
WHERE p.tenant = $1`

// RequestTypes returns the availability of every request type of a practice at an
// instant, in the order of [request.Types]. It is empty if there is no such
// practice.
func (a Availability) RequestTypes(ctx context.Context, tenant string, now time.Time) ([]practice.Availability, error) {
	rows, _ := a.DB.Query(ctx, receptionsOf, tenant, request.Types())
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (practice.Availability, error) {
		var reception practice.Reception
		if err := scanReception(row, &reception, &reception.Type); err != nil {
			return practice.Availability{}, err
		}
		return reception.At(now), nil
	})
	if err != nil {
		return nil, fmt.Errorf("read availability: %w", err)
	}
	return found, nil
}

// receptionsOf has a row for each request type that is asked for, and none if there
// is no such practice.
const receptionsOf = `
SELECT p.time_zone, coalesce(i.switched_off, false), coalesce(i.paused, false), i.paused_until, i.hours, c.spans, t.request_type
FROM practices p
CROSS JOIN unnest($2::text[]) WITH ORDINALITY AS t (request_type, place)
LEFT JOIN intakes i ON i.tenant = p.tenant AND i.request_type = t.request_type
LEFT JOIN closures c ON c.tenant = p.tenant
WHERE p.tenant = $1
ORDER BY t.place`

// scanReception reads a reception, and what else the row has after it.
func scanReception(row pgx.Row, r *practice.Reception, more ...any) error {
	var zone string
	var until *time.Time
	var texts []string
	var spans pgtype.Multirange[pgtype.Range[time.Time]]
	columns := append([]any{&zone, &r.Intake.SwitchedOff, &r.Intake.Paused, &until, &texts, &spans}, more...)
	err := row.Scan(columns...)
	if err != nil {
		return err
	}
	if until != nil {
		r.Intake.PausedUntil = until.UTC()
	}
	for _, span := range spans {
		r.Closures = append(r.Closures, practice.Span{From: span.Lower.UTC(), Until: span.Upper.UTC()})
	}
	if r.Intake.Hours, err = hours.Parse(texts); err != nil {
		return err
	}
	r.Zone, err = location(zone)
	return err
}

// orNever returns an instant as an optional column holds it: the zero one is NULL.
func orNever(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
