package signin_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/adapters/staffweb/signin/signintest"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

const (
	elm, oak = "elm-street", "oak-lane"
	password = "coffee tin fish"
	lockout  = time.Minute
)

// surgery is two practices that each have a dr.lee, and their sign-in.
type surgery struct {
	signin.Service
	*commandtest.Clock
	pool  *pgxpool.Pool
	vault signin.PasswordStore
	store *eventstore.Store
	lee   staff.ID // of Elm Street

	logged bytes.Buffer // by the vault
}

func newSurgery(t *testing.T) *surgery {
	t.Helper()
	codec, err := event.NewCodec(domain.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	s := &surgery{pool: postgrestest.New(t).Pool(t), Clock: commandtest.NewClock(commandtest.Noon)}
	s.vault = signin.PasswordStore{DB: postgres.On(s.pool), Cost: signintest.Cheap, Log: slog.New(slog.NewTextHandler(&s.logged, nil))}
	s.store = &eventstore.Store{DB: postgres.On(s.pool), Codec: codec, Keys: postgrestest.Keyring(t, s.pool, codec), AtOnce: projections.AtOnce(), Now: s.Now}
	s.Service = signin.Service{
		Guesses:   signin.NewGuesses(s.Now),
		Queue:     signin.NewQueue(),
		Tries:     signin.Tries{DB: postgres.On(s.pool), Lockout: lockout, Now: s.Now},
		Devices:   signin.Devices{DB: postgres.On(s.pool), Now: s.Now},
		Passwords: s.vault,
		Passkeys:  signin.Passkeys{DB: postgres.On(s.pool), Challenges: signin.Challenges{Keys: func() [][32]byte { return [][32]byte{{1}} }, Now: s.Now}, Now: s.Now, Log: s.vault.Log},
		Steps:     signin.Steps{DB: postgres.On(s.pool), Now: s.Now},
		Sessions:  signin.Sessions{DB: postgres.On(s.pool), Idle: 30 * time.Minute, Limit: 12 * time.Hour, Now: s.Now},
	}
	for _, tenant := range []string{oak, elm} {
		must(t, commands.Desk{Store: s.store}.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: tenant, Name: tenant}))
		s.lee, err = commands.Desk{Store: s.store, Passwords: s.vault}.RegisterStaff(t.Context(), commands.RegisterStaff{
			Tenant: tenant, Username: "dr.lee", Name: "Dr Lee", Email: "lee@practice.example", Password: password,
		})
		must(t, err)
	}
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// try is an attempt of dr.lee's at Elm Street, from one source, unless the edits change
// it.
func try(edits ...func(*signin.Try)) signin.Try {
	t := signin.Try{Account: signin.Account{Tenant: elm, Username: "dr.lee"}, Password: password, Source: "192.0.2.1"}
	for _, edit := range edits {
		edit(&t)
	}
	return t
}

func wrong(t *signin.Try) { t.Password = "not the password" }

func as(username string) func(*signin.Try) { return func(t *signin.Try) { t.Username = username } }

func from(source string) func(*signin.Try) { return func(t *signin.Try) { t.Source = source } }

// counting counts password checks.
type counting struct {
	signin.Checker
	mu     sync.Mutex
	checks int
}

func (c *counting) Check(ctx context.Context, tenant, username, password string) (signin.Holder, bool, error) {
	c.mu.Lock()
	c.checks++
	c.mu.Unlock()
	return c.Checker.Check(ctx, tenant, username, password)
}

// noAccounts knows no password.
type noAccounts struct{}

func (noAccounts) Check(context.Context, string, string, string) (signin.Holder, bool, error) {
	return signin.Holder{}, false, nil
}
