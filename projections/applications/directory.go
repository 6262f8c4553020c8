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

// Offer is an application that a practice can enable.
type Offer struct {
	Application application.ID
	Name        string
	Enabled     bool // for the practice
	Grants      []application.Grant
	Told        []application.WebhookEvent // the events that it receives
}

// May returns the endpoints that it may call in a mode.
func (o Offer) May(mode application.Mode) (endpoints []application.EndpointName) {
	for _, g := range o.Grants {
		if g.Mode == mode {
			endpoints = append(endpoints, g.Endpoint)
		}
	}
	return endpoints
}

// Offers lists the applications available to a practice, and the effects of enabling or
// disabling one.
type Offers struct{ DB projections.Querier }

const (
	enabledOffers = `
SELECT a.application, a.name FROM enablements e JOIN applications a ON a.application = e.application
WHERE e.tenant = $1 AND (a.name, a.application) > ($2, $3) ORDER BY a.name, a.application LIMIT $4`
	otherOffers = `
SELECT a.application, a.name FROM applications a
WHERE NOT EXISTS (SELECT FROM enablements e WHERE e.tenant = $1 AND e.application = a.application)
	AND (a.name, a.application) > ($2, $3) ORDER BY a.name, a.application LIMIT $4`
	offerOf = `
SELECT a.application, a.name, EXISTS (SELECT FROM enablements e WHERE e.tenant = $1 AND e.application = a.application),
	ARRAY(SELECT endpoint FROM endpoint_grants g WHERE g.application = a.application ORDER BY endpoint, mode),
	ARRAY(SELECT mode FROM endpoint_grants g WHERE g.application = a.application ORDER BY endpoint, mode),
	ARRAY(SELECT event FROM webhooks w WHERE w.application = a.application ORDER BY event)
FROM applications a WHERE a.application = $2`
)

// Enabled lists at most limit applications that a practice allows to call, by name,
// from the next one after another. A zero Offer is before all. Only their names are
// filled in.
func (o Offers) Enabled(ctx context.Context, tenant string, after Offer, limit int) ([]Offer, error) {
	return o.list(ctx, enabledOffers, true, tenant, after, limit)
}

// Others lists in the same way those that it could enable.
func (o Offers) Others(ctx context.Context, tenant string, after Offer, limit int) ([]Offer, error) {
	return o.list(ctx, otherOffers, false, tenant, after, limit)
}

func (o Offers) list(ctx context.Context, query string, enabled bool, tenant string, after Offer, limit int) ([]Offer, error) {
	rows, _ := o.DB.Query(ctx, query, tenant, after.Name, after.Application, limit)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Offer, error) {
		offer := Offer{Enabled: enabled}
		return offer, row.Scan(&offer.Application, &offer.Name)
	})
	if err != nil {
		return nil, fmt.Errorf("list applications: %w", err)
	}
	return found, nil
}

// Of returns an application, or application.ErrUnknown.
func (o Offers) Of(ctx context.Context, tenant string, app application.ID) (found Offer, err error) {
	var endpoints []application.EndpointName
	var modes []application.Mode
	err = o.DB.QueryRow(ctx, offerOf, tenant, app).
		Scan(&found.Application, &found.Name, &found.Enabled, &endpoints, &modes, &found.Told)
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

// Stakes are the effects of disabling an application at a practice. Each is counted up
// to [MostStakes].
type Stakes struct {
	Authorisations int // current ones of active staff
	Deliveries     int // pending
}

// MostStakes is where counting stops.
const MostStakes = 1000

// stakesOf finds pending deliveries by destination, of which an application has few.
// The index of a destination is ordered by practice.
const stakesOf = `
SELECT (SELECT count(*) FROM (SELECT FROM authorisations u JOIN staff s ON s.tenant = u.tenant AND s.staff = u.staff AND s.active
		WHERE u.tenant = $1 AND u.application = $2 AND u.expires_at > $3 LIMIT $4) given),
	(SELECT count(*) FROM (SELECT FROM (SELECT DISTINCT destination FROM webhooks WHERE application = $2) w
		CROSS JOIN LATERAL (SELECT status FROM deliveries d WHERE d.destination = w.destination AND d.tenant = $1 AND d.finished_at IS NULL LIMIT $4) d
		WHERE d.status = 'pending' LIMIT $4) waiting)`

// Stakes counts them at an instant.
func (o Offers) Stakes(ctx context.Context, tenant string, app application.ID, now time.Time) (found Stakes, err error) {
	err = o.DB.QueryRow(ctx, stakesOf, tenant, app, now, MostStakes).Scan(&found.Authorisations, &found.Deliveries)
	if err != nil {
		return found, fmt.Errorf("count stakes: %w", err)
	}
	return found, nil
}

// EnabledApplication is an application that a practice allows to call.
type EnabledApplication struct {
	Tenant      string         `json:"tenant"`
	Application application.ID `json:"application"`
	Name        string         `json:"name"`
	Grants      []string       `json:"grants"` // like "create-note:user-restricted"
}

// EnabledApplications lists the applications that practices allow to call.
type EnabledApplications struct{ DB projections.Querier }

// All lists those of a practice, or of every practice if tenant is "".
func (a EnabledApplications) All(ctx context.Context, tenant string) ([]EnabledApplication, error) {
	rows, _ := a.DB.Query(ctx, `
		SELECT e.tenant, a.application, a.name,
			ARRAY(SELECT g.endpoint || ':' || g.mode FROM endpoint_grants g WHERE g.application = a.application ORDER BY 1)
		FROM enablements e JOIN applications a ON a.application = e.application
		WHERE $1 = '' OR e.tenant = $1 ORDER BY e.tenant, a.name, a.application`, tenant)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[EnabledApplication])
	if err != nil {
		return nil, fmt.Errorf("list enabled applications: %w", err)
	}
	return found, nil
}
