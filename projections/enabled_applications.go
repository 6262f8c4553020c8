package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
)

// EnabledApplication is an application that a practice lets call (§5.6).
type EnabledApplication struct {
	Tenant      string         `json:"tenant"`
	Application application.ID `json:"application"`
	Name        string         `json:"name"`
	Grants      []string       `json:"grants"` // as §5.6 writes them
}

// EnabledApplications answers which applications practices let call, out of
// the read models that are kept at once.
type EnabledApplications struct{ DB Querier }

// All lists those of a practice, or of every practice when tenant is "".
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

// Tenants answers which practices there are.
type Tenants struct{ DB Querier }

// All lists their identifiers.
func (t Tenants) All(ctx context.Context) ([]string, error) {
	rows, _ := t.DB.Query(ctx, `SELECT tenant FROM practices ORDER BY tenant`)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list practices: %w", err)
	}
	return found, nil
}
