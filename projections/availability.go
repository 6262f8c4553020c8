package projections

import (
	"context"
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
	found, err := a.read(ctx, tenant, []request.Type{typ}, id)
	if err != nil || len(found) == 0 {
		return commands.Admission{}, err
	}
	return found[0], nil
}

// RequestTypes returns the availability of every request type of a practice at an
// instant, in the order of [request.Types]. It is empty if there is no such
// practice.
func (a Availability) RequestTypes(ctx context.Context, tenant string, now time.Time) ([]practice.Availability, error) {
	found, err := a.read(ctx, tenant, request.Types(), patient.ID{})
	types := make([]practice.Availability, len(found))
	for n, admission := range found {
		types[n] = admission.Reception.At(now)
	}
	return types, err
}

// receptionsOf has a row for each request type that is asked for, and none if there
// is no such practice.
const receptionsOf = `
SELECT t.request_type, p.time_zone, coalesce(i.switched_off, false), coalesce(i.paused, false), i.paused_until, i.hours, c.spans,
	EXISTS (SELECT FROM patients WHERE tenant = $1 AND patient = $3)
FROM practices p
CROSS JOIN unnest($2::text[]) WITH ORDINALITY AS t (request_type, place)
LEFT JOIN intakes i ON i.tenant = p.tenant AND i.request_type = t.request_type
LEFT JOIN closures c ON c.tenant = p.tenant
WHERE p.tenant = $1
ORDER BY t.place`

func (a Availability) read(ctx context.Context, tenant string, types []request.Type, id patient.ID) ([]commands.Admission, error) {
	rows, _ := a.DB.Query(ctx, receptionsOf, tenant, types, id)
	found, err := pgx.CollectRows(rows, admissionOf)
	if err != nil {
		return nil, fmt.Errorf("read availability: %w", err)
	}
	return found, nil
}

func admissionOf(row pgx.CollectableRow) (admission commands.Admission, err error) {
	r := &admission.Reception
	var zone string
	var until *time.Time
	var texts []string
	var spans pgtype.Multirange[pgtype.Range[time.Time]]
	err = row.Scan(&r.Type, &zone, &r.Intake.SwitchedOff, &r.Intake.Paused, &until, &texts, &spans, &admission.PatientExists)
	if err != nil {
		return admission, err
	}
	if until != nil {
		r.Intake.PausedUntil = until.UTC()
	}
	for _, span := range spans {
		r.Closures = append(r.Closures, practice.Span{From: span.Lower.UTC(), Until: span.Upper.UTC()})
	}
	if r.Intake.Hours, err = hours.Parse(texts); err != nil {
		return admission, err
	}
	r.Zone, err = location(zone)
	return admission, err
}

// orNever returns an instant as an optional column holds it: the zero one is NULL.
func orNever(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
