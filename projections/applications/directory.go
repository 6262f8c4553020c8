package applications

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/projections"
)

// Entry is an application that a practice can enable.
type Entry struct {
	Application application.ID
	Name        string
	Enabled     bool // for the practice
	Grants      []application.Grant
	Webhooks    []application.WebhookEvent // the events that it receives
}

// Endpoints returns the endpoints that it may call in a mode.
func (e Entry) Endpoints(mode application.Mode) (endpoints []application.EndpointName) {
	for _, g := range e.Grants {
		if g.Mode == mode {
			endpoints = append(endpoints, g.Endpoint)
		}
	}
	return endpoints
}

// Directory lists the applications available to a practice, and the effects of enabling or
// disabling one.
type Directory struct{ DB projections.Querier }

const (
	enabledEntries = `
SELECT a.application, a.name FROM enablements e JOIN applications a ON a.application = e.application
WHERE e.tenant = $1 AND (a.name, a.application) > ($2, $3) ORDER BY a.name, a.application LIMIT $4`
	otherEntries = `
SELECT a.application, a.name FROM applications a
WHERE NOT EXISTS (SELECT FROM enablements e WHERE e.tenant = $1 AND e.application = a.application)
	AND (a.name, a.application) > ($2, $3) ORDER BY a.name, a.application LIMIT $4`
	entryOf = `
SELECT a.application, a.name, EXISTS (SELECT FROM enablements e WHERE e.tenant = $1 AND e.application = a.application),
	ARRAY(SELECT endpoint FROM endpoint_grants g WHERE g.application = a.application ORDER BY endpoint, mode),
	ARRAY(SELECT mode FROM endpoint_grants g WHERE g.application = a.application ORDER BY endpoint, mode),
	ARRAY(SELECT event FROM webhooks w WHERE w.application = a.application ORDER BY event)
FROM applications a WHERE a.application = $2`
)

// Enabled lists at most limit applications that a practice allows to call, by name,
// from the next one after another. A zero Entry is before all. Only their names are
// filled in.
func (d Directory) Enabled(ctx context.Context, tenant string, after Entry, limit int) ([]Entry, error) {
	return d.list(ctx, enabledEntries, true, tenant, after, limit)
}

// Others lists in the same way those that it could enable.
func (d Directory) Others(ctx context.Context, tenant string, after Entry, limit int) ([]Entry, error) {
	return d.list(ctx, otherEntries, false, tenant, after, limit)
}

func (d Directory) list(ctx context.Context, query string, enabled bool, tenant string, after Entry, limit int) ([]Entry, error) {
	rows, _ := d.DB.Query(ctx, query, tenant, after.Name, after.Application, limit)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Entry, error) {
		entry := Entry{Enabled: enabled}
		return entry, row.Scan(&entry.Application, &entry.Name)
	})
	if err != nil {
		return nil, fmt.Errorf("list applications: %w", err)
	}
	return found, nil
}

// Find returns an application, or application.ErrUnknown.
func (d Directory) Find(ctx context.Context, tenant string, app application.ID) (found Entry, err error) {
	var endpoints []application.EndpointName
	var modes []application.Mode
	err = d.DB.QueryRow(ctx, entryOf, tenant, app).
		Scan(&found.Application, &found.Name, &found.Enabled, &endpoints, &modes, &found.Webhooks)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, application.ErrUnknown
	}
	if err != nil {
		return found, fmt.Errorf("read application: %w", err)
	}
	for n, endpoint := range endpoints {
		found.Grants = append(found.Grants, application.Grant{Endpoint: endpoint, Mode: modes[n]})
	}
	return found, nil
}

// DisableImpact is the effects of disabling an application at a practice. Each is counted
// up to [MaxImpact].
type DisableImpact struct {
	Authorisations int // current ones of active staff
	Deliveries     int // pending
}

// MaxImpact is where counting stops.
const MaxImpact = 1000

// disableImpact finds pending deliveries by destination, of which an application has few.
// The index of a destination is ordered by practice.
const disableImpact = `
SELECT (SELECT count(*) FROM (SELECT FROM authorisations u JOIN staff s ON s.tenant = u.tenant AND s.staff = u.staff AND s.active
		WHERE u.tenant = $1 AND u.application = $2 AND u.expires_at > $3 LIMIT $4) given),
	(SELECT count(*) FROM (SELECT FROM (SELECT DISTINCT destination FROM webhooks WHERE application = $2) w
		CROSS JOIN LATERAL (SELECT status FROM deliveries d WHERE d.destination = w.destination AND d.tenant = $1 AND d.finished_at IS NULL LIMIT $4) d
		WHERE d.status = 'pending' LIMIT $4) waiting)`

// DisableImpact counts the effects at an instant.
func (d Directory) DisableImpact(ctx context.Context, tenant string, app application.ID, now time.Time) (found DisableImpact, err error) {
	err = d.DB.QueryRow(ctx, disableImpact, tenant, app, now, MaxImpact).Scan(&found.Authorisations, &found.Deliveries)
	if err != nil {
		return found, fmt.Errorf("count the effects of disabling an application: %w", err)
	}
	return found, nil
}

// Enablement is an application that a practice allows to call.
type Enablement struct {
	Tenant      string         `json:"tenant"`
	Application application.ID `json:"application"`
	Name        string         `json:"name"`
	Grants      []string       `json:"grants"` // like "create-note:user-restricted"
}

// Enablements lists the applications that practices allow to call.
type Enablements struct{ DB projections.Querier }

// All lists those of a practice, or of every practice if tenant is "".
func (a Enablements) All(ctx context.Context, tenant string) ([]Enablement, error) {
	rows, _ := a.DB.Query(ctx, `
		SELECT e.tenant, a.application, a.name,
			ARRAY(SELECT g.endpoint || ':' || g.mode FROM endpoint_grants g WHERE g.application = a.application ORDER BY 1)
		FROM enablements e JOIN applications a ON a.application = e.application
		WHERE $1 = '' OR e.tenant = $1 ORDER BY e.tenant, a.name, a.application`, tenant)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Enablement])
	if err != nil {
		return nil, fmt.Errorf("list enabled applications: %w", err)
	}
	return found, nil
}
