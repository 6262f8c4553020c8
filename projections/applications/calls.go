package applications

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/projections"
)

// OwnCalls lists an application's own calls at a practice and their results, from the
// access record (D95). Its pages leave out calls about the application itself.
type OwnCalls struct{ DB projections.Querier }

const ownCallColumns = `request_id, at, endpoint, mode, status, code, reason, took_ms`

// ownCallsPage is one statement, so that the rows and the lowest identifier read are of
// one instant. It looks for that identifier only if the page is not full.
const ownCallsPage = `
WITH page AS (
	(SELECT ` + ownCallColumns + ` FROM ` + amongThePractices + ` AND endpoint <> ALL ($7) AND status >= $8 AND status < $9 ORDER BY request_id DESC LIMIT $6)
	UNION
	(SELECT ` + ownCallColumns + ` FROM ` + amongTheApplications + ` AND endpoint <> ALL ($7) AND status >= $8 AND status < $9 ORDER BY request_id DESC LIMIT $6)
	ORDER BY request_id DESC LIMIT $6),
looked AS (
	SELECT (SELECT request_id FROM ` + ofThePractice + ` OFFSET $5 - 1 LIMIT 1) AS theirs, (SELECT request_id FROM ` + ofTheApplication + ` OFFSET $5 - 1 LIMIT 1) AS its
	WHERE (SELECT count(*) FROM page) < $6)
SELECT page.*, CASE WHEN theirs IS NOT NULL AND its IS NOT NULL THEN least(theirs, its) END
FROM (SELECT) one LEFT JOIN looked ON true LEFT JOIN page ON true ORDER BY request_id DESC`

const ownCall = `SELECT ` + ownCallColumns + `, NULL::uuid FROM access_record WHERE request_id = $3 AND tenant = $1 AND application = $2`

// firstRefusal is the lowest status of a refusal.
const firstRefusal = 400

// Of returns a page of calls: the refused ones, those that were answered, or both.
func (o OwnCalls) Of(ctx context.Context, b OwnBounds, answered, refused bool) (OwnPage[access.OwnCall], error) {
	from, until := firstRefusal, firstRefusal
	if answered {
		from = 0
	}
	if refused {
		until = math.MaxInt32
	}
	args := append(b.args(uuid.Nil), access.AboutItself(), from, until)
	return ownPage(ctx, o.DB, b.Limit, ownCallsPage, args, scanOwnCall)
}

// Call returns the call of a request id, including one about the application itself;
// nil if the application has made none at the practice.
func (o OwnCalls) Call(ctx context.Context, tenant string, app application.ID, requestID uuid.UUID) (*access.OwnCall, error) {
	rows, _ := o.DB.Query(ctx, ownCall, tenant, app, requestID)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (access.OwnCall, error) {
		_, call, err := scanOwnCall(row, &uuid.NullUUID{})
		return call, err
	})
	if err != nil {
		return nil, fmt.Errorf("look for an application's call: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return &found[0], nil
}

// scanOwnCall reads a call, and the rule that refused it.
func scanOwnCall(row pgx.CollectableRow, reached *uuid.NullUUID) (uuid.UUID, access.OwnCall, error) {
	var id uuid.NullUUID
	var at *time.Time
	var endpoint, mode, code, reason *string
	var status, took *int
	if err := row.Scan(&id, &at, &endpoint, &mode, &status, &code, &reason, &took, reached); err != nil || !id.Valid {
		return uuid.Nil, access.OwnCall{}, err
	}
	c := access.OwnCall{
		RequestID: id.UUID, At: at.UTC(), Endpoint: application.EndpointName(*endpoint), Mode: application.Mode(*mode), Status: *status, Code: *code, Reason: *reason,
	}
	if took != nil {
		c.Took = new(time.Duration(*took) * time.Millisecond)
	}
	c.Rule = access.RuleOf(c.Code, c.Reason, c.Endpoint, c.Mode)
	return id.UUID, c, nil
}
