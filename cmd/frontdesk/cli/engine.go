package cli

import (
	"context"
	"fmt"
	"net/netip"
	"os/user"
	"sync"
	"time"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// databaseFlag is the flag of everything that needs the database.
type databaseFlag struct {
	DatabaseURL string `required:"" placeholder:"URL" help:"Postgres, as postgres://… . A password belongs in the environment or in a pgpass file."`
}

// engineFlags are the flags of every command of the engine.
type engineFlags struct {
	databaseFlag `embed:""`
	As           string `placeholder:"USERNAME" help:"Who acts; without it, whoever is at this machine."`
	JSON         bool   `name:"json" help:"Print one JSON object."`
}

// networkFlag opens networks to outbound calls.
type networkFlag struct {
	AllowNetwork []netip.Prefix `placeholder:"CIDR" help:"Network that JWKS and webhook URLs may be in beside the public Internet."`
}

// commandLimit bounds a command of the engine.
const commandLimit = 30 * time.Second

// do carries out one command: as whom the flags say, over a store that listens
// in, and with a log that has the events before it returns.
func (f engineFlags) do(r *run, config app.Config, tenant string, act func(context.Context, commands.Desk) (made, error)) error {
	return f.doWith(r, config, tenant, func(ctx context.Context, _ *app.Engine, desk commands.Desk) (made, error) {
		return act(ctx, desk)
	})
}

// doWith is do for a command that needs more of the engine than its commands.
func (f engineFlags) doWith(r *run, config app.Config, tenant string,
	act func(context.Context, *app.Engine, commands.Desk) (made, error),
) error {
	ctx, cancel := context.WithTimeout(r.ctx, commandLimit)
	defer cancel()
	config.DatabaseURL = f.DatabaseURL
	engine, err := app.Open(ctx, config)
	if err != nil {
		return err
	}
	defer engine.Close()
	actor, err := f.actor(ctx, engine, tenant)
	if err != nil {
		return err
	}
	desk, listening := engine.Desk, &listeningStore{Store: engine.Desk.Store}
	desk.Store = listening
	made, err := act(event.WithMetadata(ctx, event.Metadata{Actor: actor}), engine, desk)
	if err != nil {
		return err
	}
	if err := engine.Drain(ctx); err != nil {
		return fmt.Errorf("the events are stored and will reach the log as soon as a server runs: %w", err)
	}
	return f.print(r, made, listening.appended)
}

// errNobody is the refusal of --as where there is no practice to look in.
var errNobody = fault.New(fault.Invalid, "as-without-tenant", "--as names staff of a practice; this command is about none.")

// actor is who the events will name.
func (f engineFlags) actor(ctx context.Context, engine *app.Engine, tenant string) (event.Actor, error) {
	if f.As == "" {
		return event.Actor{Kind: event.ByOperator, ID: machineUser()}, nil
	}
	if tenant == "" {
		return event.Actor{}, errNobody
	}
	id, err := engine.Staff.StaffByUsername(ctx, tenant, f.As)
	if err != nil {
		return event.Actor{}, fmt.Errorf("find who acts: %w", err)
	}
	return event.Actor{Kind: event.ByStaff, ID: id.String()}, nil
}

func machineUser() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}

// listeningStore remembers what is appended through it.
type listeningStore struct {
	commands.Store
	mu       sync.Mutex
	appended []event.Recorded
}

// Append implements [commands.Store].
func (s *listeningStore) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	recorded, err := s.Store.Append(ctx, changes...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.appended = append(s.appended, recorded...)
	return recorded, err
}

// lifetimeFlag shortens authorisations, so that a test can see one end.
type lifetimeFlag struct {
	AuthorisationLifetime time.Duration `default:"12h" help:"How long an authorisation lasts."`
}
