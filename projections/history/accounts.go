package history

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Accounts reads what happened to the account of a member of staff.
type Accounts struct{ DB projections.Querier }

// AccountEvent is one entry of the history of an account.
type AccountEvent struct {
	Name  string // of the event
	By    event.Actor
	At    time.Time
	Tries int // failed attempts to sign in; 0 for other events
}

// The limits of a history.
const (
	triesDays   = 30 // of failed attempts
	mostEntries = 30
	mostTries   = 1000 // events of failed attempts, of one a minute
)

const accountEvents = `
SELECT name, metadata, data, recorded_at FROM events
WHERE tenant = $1 AND stream = ANY ($2) AND name = ANY ($3) AND recorded_at > $5
ORDER BY recorded_at DESC, version DESC LIMIT $4`

// Of returns the newest entries of the history of an account, newest first: passwords,
// passkeys, links, roles and resets. Strangers cannot push them out: their failed attempts of
// the last 30 days are one entry, the first.
func (h Accounts) Of(ctx context.Context, tenant string, member staff.ID, now time.Time) ([]AccountEvent, error) {
	return h.Since(ctx, tenant, member, time.Time{}, now)
}

// Since returns the newest entries after an instant.
func (h Accounts) Since(ctx context.Context, tenant string, member staff.ID, since, now time.Time) ([]AccountEvent, error) {
	var days []uuid.UUID
	for day := range triesDays {
		days = append(days, staff.TriesStream(tenant, member, now.AddDate(0, 0, -day)).ID)
	}
	failed, err := h.read(ctx, since, mostTries, tenant, days, staff.SignInFailed{})
	if err != nil {
		return nil, err
	}
	entries, err := h.read(ctx, since, mostEntries, tenant, []uuid.UUID{staff.StreamOf(tenant, member).ID}, staff.Member{}.Events()...)
	if err != nil || len(failed) == 0 {
		return entries, err
	}
	all := failed[0]
	for _, earlier := range failed[1:] {
		all.Tries += earlier.Tries
	}
	return append([]AccountEvent{all}, entries...), nil
}

func (h Accounts) read(ctx context.Context, since time.Time, most int, tenant string, streams []uuid.UUID, kinds ...event.Event) ([]AccountEvent, error) {
	var names []string
	for _, e := range kinds {
		names = append(names, e.EventName())
	}
	rows, _ := h.DB.Query(ctx, accountEvents, tenant, streams, names, most, since)
	entries, err := pgx.CollectRows(rows, scanAccountEvent)
	if err != nil {
		return nil, fmt.Errorf("read the history of an account: %w", err)
	}
	return entries, nil
}

func scanAccountEvent(row pgx.CollectableRow) (e AccountEvent, err error) {
	var metadata, data []byte
	if err := row.Scan(&e.Name, &metadata, &data, &e.At); err != nil {
		return e, err
	}
	m, err := event.ParseMetadata(metadata)
	if err != nil {
		return e, err
	}
	e.By, e.At = m.Actor, e.At.UTC()
	if e.Name != (staff.SignInFailed{}).EventName() {
		return e, nil
	}
	var failed staff.SignInFailed
	if err := json.Unmarshal(data, &failed); err != nil {
		return e, err
	}
	for _, n := range failed.Tries {
		e.Tries += n
	}
	return e, nil
}
