package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/practice/hours"
	"frontdesk/domain/request"
)

// Availability keeps when each practice accepts requests of each type. The check of a
// request and the patient portal both read it, so they cannot disagree.
type Availability struct{ DB Querier }

// Name returns the permanent name.
func (Availability) Name() string { return "availability.v1" }

// Project keeps a row for each request type that a practice has ever changed, and one
// for its closures.
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

	// Closures that were over when the event was recorded are dropped, so rows stay
	// short.
	addClosure = `INSERT INTO closures (tenant, spans) VALUES ($1, tstzmultirange(tstzrange($2, $3)))
		ON CONFLICT (tenant) DO UPDATE SET spans = closures.spans - tstzmultirange(tstzrange(NULL, $4)) + excluded.spans`
	cutClosure = `UPDATE closures SET spans = spans - tstzmultirange(tstzrange($2, $3)) WHERE tenant = $1`
)

// Receptions returns when a practice accepts requests. They have no zone if the
// practice does not exist.
func (a Availability) Receptions(ctx context.Context, tenant string) (practice.Receptions, error) {
	rows, _ := a.DB.Query(ctx, receptionsOf, tenant)
	var found practice.Receptions
	var row intakeRow
	_, err := pgx.ForEachRow(rows, row.columns(), func() error { return row.addTo(&found) })
	if err != nil {
		return practice.Receptions{}, fmt.Errorf("read availability: %w", err)
	}
	return found, nil
}

// RequestTypes returns the availability of every request type of a practice at an
// instant, in the order of [request.Types]. It is empty if the practice does not exist.
func (a Availability) RequestTypes(ctx context.Context, tenant string, now time.Time) ([]practice.Availability, error) {
	found, err := a.Receptions(ctx, tenant)
	if err != nil || found.Zone == nil {
		return nil, err
	}
	var all []practice.Availability
	for _, typ := range request.Types() {
		all = append(all, found.Reception(typ).Availability(now))
	}
	return all, nil
}

// receptionsOf has a row for each request type that the practice has ever changed, or
// one without a type if it has changed none. It has no row if the practice does not
// exist.
const (
	receptionColumns = `
	p.time_zone, c.spans, i.request_type, coalesce(i.switched_off, false), coalesce(i.paused, false), i.paused_until, i.hours`
	ofPractice = `
LEFT JOIN closures c ON c.tenant = $1
LEFT JOIN intakes i ON i.tenant = $1`

	receptionsOf = `
SELECT` + receptionColumns + `
FROM practices p` + ofPractice + `
WHERE p.tenant = $1`
)

// intakeRow is one row that [receptionColumns] selects.
type intakeRow struct {
	zone  *string // nil if the practice does not exist
	spans pgtype.Multirange[pgtype.Range[time.Time]]
	typ   *request.Type // nil if the practice has changed none
	practice.Intake
	until *time.Time
	hours []string
}

func (r *intakeRow) columns() []any {
	return []any{&r.zone, &r.spans, &r.typ, &r.SwitchedOff, &r.Paused, &r.until, &r.hours}
}

// addTo adds the row. All rows repeat the same values of the practice.
func (r *intakeRow) addTo(found *practice.Receptions) (err error) {
	if r.zone == nil {
		return nil
	}
	if found.Zone == nil {
		found.Closures, found.Intakes = closuresOf(r.spans), map[request.Type]practice.Intake{}
		if found.Zone, err = location(*r.zone); err != nil {
			return err
		}
	}
	if r.typ == nil {
		return nil
	}
	intake := r.Intake
	if r.until != nil {
		intake.PausedUntil = r.until.UTC()
	}
	intake.Hours, err = hours.Parse(r.hours)
	found.Intakes[*r.typ] = intake
	return err
}

func closuresOf(spans pgtype.Multirange[pgtype.Range[time.Time]]) (closures practice.Closures) {
	for _, span := range spans {
		closures = append(closures, practice.Span{From: span.Lower.UTC(), Until: span.Upper.UTC()})
	}
	return closures
}

// orNever returns an instant for an optional column: NULL for the zero one.
func orNever(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
