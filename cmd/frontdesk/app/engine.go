package app

import (
	"context"
	"errors"

	"frontdesk/adapters/background"
	"frontdesk/adapters/outbound"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/adapters/postgres/retention"
	"frontdesk/adapters/postgres/uploads"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/adapters/tracing"
	"frontdesk/cmd/frontdesk/apply"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/commands"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/projections"
	"frontdesk/projections/applications"
	"frontdesk/projections/directory"
	"frontdesk/projections/history"
	"frontdesk/projections/patientindex"
)

// Engine is the Desk and everything that commands and queries need, without anything
// that serves.
type Engine struct {
	Desk        commands.Desk
	Auditor     auditing.Auditor
	Log         eventstore.Log
	Sequencer   *eventstore.Sequencer
	Staff       projections.Staff
	Uploads     *uploads.Store
	Attachments projections.Attachments

	config     Config
	passwords  signin.PasswordStore
	codec      *event.Codec
	keyring    *keyring.Keyring
	store      *eventstore.Store
	pools      pools
	calls      postgres.DB // for work that a caller waits for
	background postgres.DB // for all other work
	appended   *background.Broadcast
	grown      *background.Broadcast
	clock      *postgres.Clock
	traces     *tracing.Tracer // nil if they go nowhere
}

// Open connects to the database. It fails if the schema is not the one of this program. The
// error is one line that includes the fix.
func Open(ctx context.Context, config Config) (*Engine, error) {
	config.setDefaults()
	e, err := connected(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(e.clock.Compare(ctx), e.keyring.Start(ctx)); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// connected returns an engine that has read only the schema.
func connected(ctx context.Context, config Config) (*Engine, error) {
	codec, err := event.NewCodec(domain.Events()...)
	if err != nil {
		return nil, err
	}
	traces, err := config.trace()
	if err != nil {
		return nil, err
	}
	all, err := openPools(ctx, config)
	if err != nil {
		traces.Close()
		return nil, err
	}
	e := newEngine(config, codec, all)
	e.traces = traces
	return e, nil
}

func newEngine(config Config, codec *event.Codec, all pools) *Engine {
	calls, behind := postgres.ForCallers(all.calls), postgres.On(all.background)
	e := &Engine{
		config: config, codec: codec, pools: all, calls: calls, background: behind,
		appended: &background.Broadcast{}, grown: &background.Broadcast{},
		Log:         eventstore.Log{DB: behind, Codec: codec},
		Staff:       projections.Staff{DB: calls},
		Uploads:     &uploads.Store{DB: postgres.ForCallers(all.uploads), Now: config.RealNow},
		Attachments: projections.Attachments{DB: behind},
		passwords:   signin.PasswordStore{DB: calls, Queue: signin.NewQueue(), Cost: config.PasswordCost, Log: config.Log},
	}
	e.clock = postgres.NewClock(all.background, config.Machine, config.Log)
	e.Sequencer = eventstore.NewSequencer(all.background, e.appended, e.grown, config.Log)
	e.Sequencer.Durability, e.Sequencer.Now = config.Durability, config.Now
	e.keyring = &keyring.Keyring{DB: calls, Codec: codec, Masters: config.MasterKeys, Now: config.RealNow}
	e.Log.Opens, e.Uploads.Keys, e.Attachments.Opens = e.keyring, e.keyring, e.keyring
	e.store = &eventstore.Store{DB: calls, Codec: codec, Keys: e.keyring, AtOnce: projections.AtOnce(), Now: config.Now, Clock: e.clock, Appended: e.appended}
	e.Desk = e.desk(e.store)
	e.Auditor = auditing.Auditor{Pool: all.background, Log: e.Log, Keys: e.keyring, Now: config.Now}
	return e
}

// desk returns the Desk over a store, with this deployment's limits.
func (e *Engine) desk(store commands.Store) commands.Desk {
	return commands.Desk{
		Store:                 store,
		Patients:              projections.Patients{DB: e.calls},
		Staff:                 e.Staff,
		Links:                 projections.Links{DB: e.calls},
		Receptions:            projections.Availability{DB: e.calls},
		Responses:             postgres.DurableResponses{IdempotentResponses: projections.IdempotentResponses{DB: e.calls}, DB: e.calls},
		Passwords:             e.passwords,
		Vault:                 e.vault(),
		Erasures:              eventstore.Eraser{Erasures: e.Erasures(), Store: e.store},
		CheckURL:              outbound.Guard{Allow: e.config.AllowNetwork, Flag: "--allow-network"}.CheckURL, // operators read it
		Now:                   e.config.Now,
		AuthorisationLifetime: e.config.AuthorisationLifetime,
	}
}

// Directory returns the names of people, applications and places.
func (e *Engine) Directory() directory.Names {
	return directory.Names{DB: e.background}
}

// PatientIndex returns an index of patients, which is empty yet.
func (e *Engine) PatientIndex() *patientindex.Index {
	return &patientindex.Index{Names: projections.Names{DB: e.background, Opens: e.keyring}, Now: e.config.RealNow}
}

// Requests returns the read model of whole requests, and of those that have moved.
func (e *Engine) Requests() history.Requests {
	return history.Requests{DB: e.background, Opens: e.keyring}
}

// Current returns the current state of practices and applications, for apply.
func (e *Engine) Current() apply.Current { return apply.Current{DB: e.calls} }

// Registers returns the lists of practices, applications and people that operators manage.
func (e *Engine) Registers() directory.Lists { return directory.Lists{DB: e.background} }

// ApplicationDirectory returns the applications that practices can use, and the impact of
// disabling one.
func (e *Engine) ApplicationDirectory() applications.Directory {
	return applications.Directory{DB: e.background}
}

// People returns who works at practices.
func (e *Engine) People() projections.People { return projections.People{DB: e.background} }

// Teams returns the teams of practices.
func (e *Engine) Teams() projections.Teams { return projections.Teams{DB: e.background} }

// PasskeyRules returns the rules of passkeys.
func (e *Engine) PasskeyRules() history.PasskeyRules {
	return history.PasskeyRules{DB: e.background}
}

// Practices returns the read model of practices.
func (e *Engine) Practices() projections.Practices { return projections.Practices{DB: e.background} }

// guard returns the guard of all outbound calls, with the networks that this deployment
// allows.
func (e *Engine) guard() outbound.Guard { return outbound.Guard{Allow: e.config.AllowNetwork} }

// Operator returns the operator as events name them: the database role of this program, with
// the details that the machine reports.
func (e *Engine) Operator(ctx context.Context, machine string) (event.Actor, error) {
	user, err := postgres.SessionUser(ctx, e.calls)
	return event.Operator(user, machine), err
}

// Retain prepares a run that keeps records no longer than needed. It needs the rights of
// the database's owner.
func (e *Engine) Retain() *retention.Retain {
	return &retention.Retain{Pool: e.pools.background, Store: e.store, Now: e.config.RealNow, Clock: e.clock}
}

// RebuildProofs prepares a rebuild of the trees of the log. It needs the rights of the
// database's owner.
func (e *Engine) RebuildProofs() proving.Rebuild {
	return proving.Rebuild{Prover: proving.NewProver(e.pools.background, e.grown, e.config.Log)}
}

// CanOpen returns an error, with the fix, if the engine was given no master key.
func (e *Engine) CanOpen() error { return e.keyring.CanOpen() }

// Drain returns once all appended events are in the log. A process that appends and does
// not serve calls it before it ends.
func (e *Engine) Drain(ctx context.Context) error { return e.Sequencer.Drain(ctx) }

// Close waits for the appends under way, closes the connections to the database, and sends
// the remaining traces.
func (e *Engine) Close() {
	e.store.Close()
	e.pools.close()
	e.traces.Close()
}
