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
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Calls lists an application's own calls at a practice and their results, from the
// access record (D95). Its pages leave out calls about the application itself.
type Calls struct{ DB projections.Querier }

const callColumns = `request_id, at, endpoint, mode, status, code, reason, took_ms, replayed, repeats, further::jsonb, user_agent`

// callsPage is one statement, so that the rows and the lowest identifier read are of
// one instant. It looks for that identifier only if the page is not full.
const callsPage = `
WITH page AS (
	(SELECT ` + callColumns + ` FROM ` + newestByPractice + ` AND endpoint <> ALL ($7) AND status >= $8 AND status < $9 ORDER BY request_id DESC LIMIT $6)
	UNION
	(SELECT ` + callColumns + ` FROM ` + newestByApplication + ` AND endpoint <> ALL ($7) AND status >= $8 AND status < $9 ORDER BY request_id DESC LIMIT $6)
	ORDER BY request_id DESC LIMIT $6),
looked AS (
	SELECT (SELECT request_id FROM ` + practiceCalls + ` OFFSET $5 - 1 LIMIT 1) AS theirs, (SELECT request_id FROM ` + applicationCalls + ` OFFSET $5 - 1 LIMIT 1) AS its
	WHERE (SELECT count(*) FROM page) < $6)
SELECT page.*, CASE WHEN theirs IS NOT NULL AND its IS NOT NULL THEN least(theirs, its) END
FROM (SELECT) one LEFT JOIN looked ON true LEFT JOIN page ON true ORDER BY request_id DESC`

const callByID = `SELECT ` + callColumns + `, NULL::uuid FROM access_record WHERE request_id = $3 AND tenant = $1 AND application = $2`

const callsByKey = `SELECT ` + callColumns + `, NULL::uuid FROM access_record
	WHERE idempotency_key = $3 AND tenant = $1 AND application = $2 ORDER BY request_id DESC LIMIT $4`

// firstRefusal is the lowest status of a refusal.
const firstRefusal = 400

// List returns a page of calls: the refused ones, those that were answered, or both.
func (c Calls) List(ctx context.Context, b Bounds, answered, refused bool) (Page[access.OwnCall], error) {
	from, until := firstRefusal, firstRefusal
	if answered {
		from = 0
	}
	if refused {
		until = math.MaxInt32
	}
	args := append(b.args(uuid.Nil), access.AboutItself(), from, until)
	return readPage(ctx, c.DB, b.Limit, callsPage, args, scanCall)
}

// Call returns the call of a request id, including one about the application itself;
// nil if the application has made none at the practice.
func (c Calls) Call(ctx context.Context, tenant string, app application.ID, requestID uuid.UUID) (*access.OwnCall, error) {
	found, err := c.find(ctx, callByID, tenant, app, requestID)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// WithKey returns an application's calls at a practice with an Idempotency-Key, the newest
// first: at most limit.
func (c Calls) WithKey(ctx context.Context, tenant string, app application.ID, key event.Digest, limit int) ([]access.OwnCall, error) {
	return c.find(ctx, callsByKey, tenant, app, key[:], limit)
}

func (c Calls) find(ctx context.Context, query string, args ...any) ([]access.OwnCall, error) {
	rows, _ := c.DB.Query(ctx, query, args...)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (access.OwnCall, error) {
		_, call, err := scanCall(row, &uuid.NullUUID{})
		return call, err
	})
	if err != nil {
		return nil, fmt.Errorf("look for an application's calls: %w", err)
	}
	return found, nil
}

// scanCall reads a call, and the rule that refused it.
func scanCall(row pgx.CollectableRow, reached *uuid.NullUUID) (uuid.UUID, access.OwnCall, error) {
	var id uuid.NullUUID
	var at *time.Time
	var endpoint, mode, code, reason, agent *string
	var status, took, repeats *int
	var replayed *bool
	var further []access.Problem
	if err := row.Scan(&id, &at, &endpoint, &mode, &status, &code, &reason, &took, &replayed, &repeats, &further, &agent, reached); err != nil || !id.Valid {
		return uuid.Nil, access.OwnCall{}, err
	}
	c := access.OwnCall{
		RequestID: id.UUID, At: at.UTC(), Endpoint: application.EndpointName(*endpoint), Mode: application.Mode(*mode), Status: *status, Code: *code, Reason: *reason,
		Further: further, Replayed: *replayed, Repeats: *repeats,
	}
	if agent != nil {
		c.Agent = *agent
	}
	if took != nil {
		c.Took = new(time.Duration(*took) * time.Millisecond)
	}
	c.Rule = access.RuleOf(c.Code, c.Reason, c.Endpoint, c.Mode)
	return id.UUID, c, nil
}
