package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/signingkey"
)

// SigningKeys keeps the public halves of the service's own keys.
type SigningKeys struct{ DB Querier }

// SigningKey is one row of [SigningKeys].
type SigningKey struct {
	KID      signingkey.KID
	Public   signingkey.PublicKey
	State    signingkey.State
	Since    time.Time // time of the last change of state
	StagedAt time.Time
}

// Name returns the permanent name.
func (SigningKeys) Name() string { return "signing-keys.v1" }

// Project keeps a row for each key, with its present state.
func (SigningKeys) Project(r event.Recorded, do func(sql string, args ...any)) {
	move := func(kid signingkey.KID, state signingkey.State, at time.Time) {
		do(`UPDATE signing_keys SET state = $2, since = $3 WHERE kid = $1`, string(kid), string(state), at)
	}
	switch e := r.Event.(type) {
	case signingkey.Staged:
		do(`INSERT INTO signing_keys (kid, n, e, state, since, staged_at) VALUES ($1, $2, $3, $4, $5, $5)`,
			string(e.KID), e.PublicKey.N, e.PublicKey.E, string(signingkey.StateStaged), e.At)
	case signingkey.Activated:
		move(e.KID, signingkey.StateActive, e.At)
	case signingkey.RetirementBegun:
		move(e.KID, signingkey.StateRetiring, e.At)
	case signingkey.Retired:
		move(e.KID, signingkey.StateRetired, e.At)
	}
}

// All lists every key that was ever staged, oldest first.
func (k SigningKeys) All(ctx context.Context) ([]SigningKey, error) {
	rows, _ := k.DB.Query(ctx, `SELECT kid, n, e, state, since, staged_at FROM signing_keys ORDER BY staged_at, kid`)
	keys, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (key SigningKey, err error) {
		err = row.Scan(&key.KID, &key.Public.N, &key.Public.E, &key.State, &key.Since, &key.StagedAt)
		return key, err
	})
	if err != nil {
		return nil, fmt.Errorf("list signing keys: %w", err)
	}
	return keys, nil
}

// Published lists the keys that receivers need: all except the retired ones.
func (k SigningKeys) Published(ctx context.Context) ([]SigningKey, error) {
	all, err := k.All(ctx)
	if err != nil {
		return nil, err
	}
	var published []SigningKey
	for _, key := range all {
		if key.State != signingkey.StateRetired {
			published = append(published, key)
		}
	}
	return published, nil
}
