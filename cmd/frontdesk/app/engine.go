package app

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/outbound"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/cmd/frontdesk/auditing"
	"frontdesk/commands"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// Engine is commands and the log they write, without anything that serves.
type Engine struct {
	Desk        commands.Desk
	Auditor     auditing.Auditor
	Log         postgres.Log
	Sequencer   *postgres.Sequencer
	Staff       projections.Staff
	Uploads     *postgres.Uploads
	Attachments projections.Attachments

	config     Config
	passwords  signin.Vault
	codec      *event.Codec
	calls      *pgxpool.Pool // for whoever waits for an answer
	background *pgxpool.Pool // for everybody else
	uploads    *pgxpool.Pool // for files, so that many of them leave room for calls
	appended   *postgres.Bell
	grown      *postgres.Bell
}

// Open connects to a database whose schema is this program's. The error is one
// line that says what to do.
func Open(ctx context.Context, config Config) (*Engine, error) {
	config.setDefaults()
	codec, err := event.NewCodec(domain.Events()...)
	if err != nil {
		return nil, err
	}
	calls, err := openPool(ctx, config.DatabaseURL, config.CallConnections)
	if err != nil {
		return nil, err
	}
	if err := postgres.CheckSchema(ctx, calls); err != nil {
		calls.Close()
		return nil, err
	}
	background, err := openPool(ctx, config.DatabaseURL, backgroundConnections)
	if err != nil {
		calls.Close()
		return nil, err
	}
	uploads, err := postgres.NewPool(ctx, config.DatabaseURL, uploadConnections)
	if err != nil {
		calls.Close()
		background.Close()
		return nil, err
	}
	return newEngine(config, codec, calls, background, uploads), nil
}

func newEngine(config Config, codec *event.Codec, calls, background, uploads *pgxpool.Pool) *Engine {
	e := &Engine{
		config: config, codec: codec, calls: calls, background: background, uploads: uploads,
		appended: &postgres.Bell{}, grown: &postgres.Bell{},
		Log:         postgres.Log{Pool: background, Codec: codec},
		Staff:       projections.Staff{DB: calls},
		Uploads:     &postgres.Uploads{Pool: uploads, Now: config.Now},
		Attachments: projections.Attachments{DB: background},
		passwords:   signin.Vault{DB: calls, Hasher: signin.NewHasher()},
	}
	e.Sequencer = postgres.NewSequencer(background, e.appended, e.grown, config.Log)
	store := &postgres.Store{Pool: calls, Codec: codec, AtOnce: atOnce(), Now: config.Now, Appended: e.appended}
	e.Desk = e.desk(store)
	e.Auditor = auditing.Auditor{Pool: background, Log: e.Log, Now: config.Now}
	return e
}

// desk is where all intents arrive, with this deployment's limits.
func (e *Engine) desk(store commands.Store) commands.Desk {
	return commands.Desk{
		Store:                 store,
		Patients:              projections.Patients{DB: e.calls},
		Staff:                 e.Staff,
		Admissions:            projections.Availability{DB: e.calls},
		Answers:               projections.Answers{DB: e.calls},
		Passwords:             e.passwords,
		Vault:                 e.vault(),
		CheckURL:              e.guard().CheckURL,
		Now:                   e.config.Now,
		AuthorisationLifetime: e.config.AuthorisationLifetime,
	}
}

func atOnce() []postgres.Projection {
	all := projections.AtOnce()
	atOnce := make([]postgres.Projection, len(all))
	for i, p := range all {
		atOnce[i] = p
	}
	return atOnce
}

// guard is what this deployment lets itself be sent to (D9).
func (e *Engine) guard() outbound.Guard { return outbound.Guard{Allow: e.config.AllowNetwork} }

// Drain puts what has been appended into the log: for a process that appends
// and does not serve.
func (e *Engine) Drain(ctx context.Context) error { return e.Sequencer.Drain(ctx) }

// Close closes the connections to the database.
func (e *Engine) Close() {
	e.uploads.Close()
	e.background.Close()
	e.calls.Close()
}

const (
	backgroundConnections = 12
	uploadConnections     = 4
)

// openPool connects now.
func openPool(ctx context.Context, url string, connections int32) (*pgxpool.Pool, error) {
	pool, err := postgres.NewPool(ctx, url, connections)
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("the database cannot be reached; check --database-url and that Postgres runs: %w", err)
	}
	return pool, nil
}
