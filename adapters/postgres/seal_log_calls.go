package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
)

// line is a line of the access record whose act claim has no box.
type line struct {
	id     uuid.UUID
	tenant string
	act    event.OnBehalfOf
}

const pageOfCalls = `
SELECT request_id, tenant, act FROM access_record
WHERE request_id > $1 AND act IS NOT NULL AND sealed IS NULL ORDER BY request_id LIMIT $2`

func (s *SealLog) calls(ctx context.Context, after uuid.UUID) ([]line, error) {
	rows, _ := s.Pool.Query(ctx, pageOfCalls, after, sealPage)
	page, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l line, err error) {
		var act string
		if err := row.Scan(&l.id, &l.tenant, &act); err != nil {
			return l, err
		}
		return l, json.Unmarshal([]byte(act), &l.act)
	})
	if err != nil {
		return nil, fmt.Errorf("read the access record after %s: %w", after, err)
	}
	return page, nil
}

// eachCall hands over the lines that are in clear, page by page.
func (s *SealLog) eachCall(ctx context.Context, do func(context.Context, []line) error) error {
	for after := uuid.Nil; ; {
		page, err := s.calls(ctx, after)
		if err != nil || len(page) == 0 {
			return err
		}
		after = page[len(page)-1].id
		var named []line
		for _, l := range page {
			if _, practitioner := l.act.Split(); inClear(practitioner.Values) {
				named = append(named, l)
			}
		}
		if len(named) == 0 {
			continue
		}
		if err := do(ctx, named); err != nil {
			return err
		}
	}
}

// inClear reports whether there are values other than those that stand for some.
func inClear(values []string) bool {
	for _, value := range values {
		if value != event.Hidden && value != event.Erased {
			return true
		}
	}
	return false
}

// moveCalls seals whom recorded calls were made for. What is sealed is not found again, so
// the next run goes on from there.
func (s *SealLog) moveCalls(ctx context.Context, _ sealingState) error {
	return s.eachCall(ctx, func(ctx context.Context, page []line) error {
		acts, named := make([]event.OnBehalfOf, len(page)), make([]Other, len(page))
		for n, l := range page {
			var practitioner event.Personal
			acts[n], practitioner = l.act.Split()
			named[n] = Other{Personal: practitioner, Tenant: l.tenant, Place: placeOf(l.id)}
		}
		if err := s.Keys.SealOthers(ctx, named); err != nil {
			return fmt.Errorf("seal the access record: %w", err)
		}
		ids, texts, boxes := make([]uuid.UUID, len(page)), make([]string, len(page)), make([][]byte, len(page))
		for n, l := range page {
			text, err := json.Marshal(acts[n])
			if err != nil {
				return fmt.Errorf("seal the access record: %w", err)
			}
			ids[n], texts[n], boxes[n] = l.id, string(text), named[n].Box
		}
		if _, err := s.Pool.Exec(ctx, `SELECT seal_calls($1, $2, $3)`, ids, texts, boxes); err != nil {
			return fmt.Errorf("seal the access record: %w", err)
		}
		return nil
	})
}

// checkCalls goes through the access record once more.
func (s *SealLog) checkCalls(ctx context.Context, _ sealingState) error {
	return s.eachCall(ctx, func(_ context.Context, page []line) error {
		return fmt.Errorf("call %s: %w", page[0].id, errStillClear)
	})
}

var errStillClear = errors.New("something personal is in clear still: run this again")
