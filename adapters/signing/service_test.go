package signing_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/signing"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/domain/signingkey"
	"frontdesk/projections"
)

// service is one with a key that signs, on a database of the test's own.
type service struct {
	t             testing.TB
	url, adminURL string
	pool          *pgxpool.Pool
	store         *eventstore.Store
	clock         *commandtest.Clock
	kid           signingkey.KID
}

func newService(t testing.TB) *service {
	t.Helper()
	db := postgrestest.New(t)
	pool, err := postgres.NewPool(context.WithoutCancel(t.Context()), db.URL, 6)
	must(t, err)
	t.Cleanup(pool.Close)
	codec, err := event.NewCodec(domain.Events()...)
	must(t, err)
	s := &service{t: t, url: db.URL, adminURL: db.AdminURL, pool: pool, clock: commandtest.NewClock(commandtest.Noon)}
	s.store = &eventstore.Store{DB: postgres.On(pool), Codec: codec, AtOnce: projections.AtOnce(), Now: s.clock.Now}
	s.kid = s.stageKey()
	s.activateKey(s.kid)
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *service) admin() *pgxpool.Pool {
	s.t.Helper()
	admin, err := postgres.NewPool(s.t.Context(), s.adminURL, 0)
	must(s.t, err)
	s.t.Cleanup(admin.Close)
	return admin
}

func (s *service) count(sql string) (n int) {
	s.t.Helper()
	must(s.t, s.pool.QueryRow(s.t.Context(), sql).Scan(&n))
	return n
}

func (s *service) vault() signing.Vault {
	return signing.Vault{DB: s.pool, Masters: sealing.NewRing(sealing.MasterKey{1, 2, 3}), Now: s.clock.Now}
}

func (s *service) stageKey() signingkey.KID {
	s.t.Helper()
	kid, err := commands.Desk{Store: s.store, Vault: s.vault(), Now: s.clock.Now}.StageSigningKey(s.t.Context())
	must(s.t, err)
	s.clock.Pass(time.Second) // the next one is younger
	return kid
}

func (s *service) activateKey(kid signingkey.KID) {
	s.t.Helper()
	must(s.t, commands.Desk{Store: s.store, Vault: s.vault(), Now: s.clock.Now}.
		ActivateSigningKey(s.t.Context(), commands.ActivateSigningKey{KID: kid}))
}

func (s *service) retireKey(kid signingkey.KID) {
	s.t.Helper()
	must(s.t, commands.Desk{Store: s.store, Vault: s.vault(), Now: s.clock.Now}.
		RetireSigningKey(s.t.Context(), commands.RetireSigningKey{KID: kid}))
}
