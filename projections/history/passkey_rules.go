package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// PasskeyRules reads how the rules of passkeys came about, and until when members can work
// without the passkey that they need. It reads the log: only members who lack a passkey are
// looked up.
type PasskeyRules struct{ DB projections.Querier }

// Roles returns the roles that need a passkey at a practice.
func (p PasskeyRules) Roles(ctx context.Context, tenant string) (roles staff.Roles, err error) {
	err = p.DB.QueryRow(ctx, `SELECT roles FROM passkey_rules WHERE tenant = $1`, tenant).Scan(&roles)
	if errors.Is(err, pgx.ErrNoRows) {
		return staff.PasskeyRoles(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read which roles need a passkey: %w", err)
	}
	return roles, nil
}

// PasskeyRuleChange is one change of the roles that need a passkey at a practice.
type PasskeyRuleChange struct {
	Roles staff.Roles
	By    event.Actor
	At    time.Time
}

// mostRuleChanges limits the changes that are read.
const mostRuleChanges = 20

// Changes returns the newest changes of a practice's rule of passkeys after an instant,
// newest first.
func (p PasskeyRules) Changes(ctx context.Context, tenant string, after time.Time) ([]PasskeyRuleChange, error) {
	rows, _ := p.DB.Query(ctx, `
		SELECT data, metadata, recorded_at FROM events WHERE tenant = $1 AND stream = $2 AND recorded_at > $3 ORDER BY version DESC LIMIT $4`,
		tenant, staff.PasskeyRuleStream(tenant).ID, after, mostRuleChanges)
	changes, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c PasskeyRuleChange, err error) {
		var data, metadata []byte
		if err := row.Scan(&data, &metadata, &c.At); err != nil {
			return c, err
		}
		var set staff.PasskeyRuleSet
		if err := json.Unmarshal(data, &set); err != nil {
			return c, err
		}
		m, err := event.ParseMetadata(metadata)
		return PasskeyRuleChange{set.Roles, m.Actor, c.At.UTC()}, err
	})
	if err != nil {
		return nil, fmt.Errorf("read changes of the rule of passkeys: %w", err)
	}
	return changes, nil
}

var passkeyCodec = func() *event.Codec {
	codec, err := event.NewCodec(staff.Events()...)
	if err != nil {
		panic(err)
	}
	return codec
}()

// By returns when a member can no longer work without a passkey; zero if they have one or
// need none.
func (p PasskeyRules) By(ctx context.Context, tenant string, member staff.ID) (time.Time, error) {
	rule, own := staff.PasskeyRuleStream(tenant).ID, staff.StreamOf(tenant, member).ID
	histories := map[uuid.UUID][]event.Recorded{}
	rows, _ := p.DB.Query(ctx, `
		SELECT stream, name, data, metadata, recorded_at FROM events WHERE tenant = $1 AND stream = ANY ($2) ORDER BY version`, tenant, []uuid.UUID{rule, own})
	var stream uuid.UUID
	var name string
	var data, metadata []byte
	var at time.Time
	_, err := pgx.ForEachRow(rows, []any{&stream, &name, &data, &metadata, &at}, func() error {
		e, err := passkeyCodec.Decode(name, data)
		if err != nil {
			return err
		}
		m, err := event.ParseMetadata(metadata)
		histories[stream] = append(histories[stream], event.Recorded{Event: e, At: at.UTC(), Metadata: m})
		return err
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("read since when a passkey is needed: %w", err)
	}
	return staff.PasskeyBy(histories[rule], histories[own]), nil
}
