package term

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"os/user"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// DatabaseFlag is the flag of everything that needs the database.
type DatabaseFlag struct {
	DatabaseURL string `required:"" placeholder:"URL" help:"Postgres, as postgres://… . A password belongs in the environment or in a pgpass file."`
}

// Open opens the engine, without a master key.
func (f DatabaseFlag) Open(r *Run) (*app.Engine, error) {
	return app.Open(r.Context, app.Config{DatabaseURL: f.DatabaseURL})
}

// EngineFlags are the flags of every command that gives the desk an intent.
type EngineFlags struct {
	DatabaseFlag `embed:""`
	As           string `placeholder:"USERNAME" help:"The member of staff that you act for. The log names both of you."`
	JSON         bool   `name:"json" help:"Print one JSON object."`
}

// PracticeFlags are the flags of every command about a practice.
type PracticeFlags struct {
	EngineFlags `embed:""`
	Tenant      string `required:"" help:"The practice's tenant identifier."`
}

// TenantID returns the practice.
func (f PracticeFlags) TenantID() string { return f.Tenant }

// Practice is implemented by the flags of all commands about a practice, with or without a
// master key.
type Practice interface {
	// TenantID returns the practice.
	TenantID() string
	// Do gives the desk an intent of the practice, and prints its results and events.
	Do(r *Run, config app.Config, tenant string, act func(context.Context, commands.Desk) (Made, error)) error
}

// ApplicationFlags are the flags of every command about an application.
type ApplicationFlags struct {
	EngineFlags `embed:""`
	Application application.ID `required:"" placeholder:"UUID" help:"The application's identifier."`
}

// NetworkFlag opens networks to outbound calls.
type NetworkFlag struct {
	AllowNetwork []netip.Prefix `placeholder:"CIDR" help:"Network that JWKS and webhook URLs may be in, in addition to the public Internet."`
}

// Made holds the results of a command, by the names of the contract.
type Made map[string]any

// Change gives the desk an intent that makes nothing new. The tenant is the practice
// that the intent is about; "" if it is about none.
func Change[T any](r *Run, f EngineFlags, tenant string, intent func(commands.Desk, context.Context, T) error, given T) error {
	return f.Do(r, app.Config{}, tenant, func(ctx context.Context, desk commands.Desk) (Made, error) {
		return nil, intent(desk, ctx, given)
	})
}

// Create gives the desk an intent of a practice that makes something, and prints
// the result under a name.
func Create[T, M any](r *Run, f Practice, name string, intent func(commands.Desk, context.Context, T) (M, error), given T) error {
	return f.Do(r, app.Config{}, f.TenantID(), func(ctx context.Context, desk commands.Desk) (Made, error) {
		it, err := intent(desk, ctx, given)
		return Made{name: it}, err
	})
}

// Do gives the desk one intent, with the actor that the flags name, and prints the
// results and events. It returns once the log has the events.
func (f EngineFlags) Do(r *Run, config app.Config, tenant string, act func(context.Context, commands.Desk) (Made, error)) error {
	return f.DoWith(r, config, tenant, func(ctx context.Context, _ *app.Engine, desk commands.Desk) (Made, error) {
		return act(ctx, desk)
	})
}

// OpenDesk opens the engine of a command that gives the desk many intents, and may take
// long. Events that are appended with the context name the operator.
func (f DatabaseFlag) OpenDesk(r *Run, config app.Config) (*app.Engine, context.Context, error) {
	follower := &sandbox.Follower{Real: r.Now}
	config.DatabaseURL, config.Now, config.RealNow = f.DatabaseURL, follower.Now, r.Now
	engine, err := app.Open(r.Context, config)
	if err != nil {
		return nil, nil, err
	}
	err = follower.Follow(r.Context, engine.Log.DB)
	operator, unknown := engine.Operator(r.Context, Machine())
	if err := errors.Join(err, unknown); err != nil {
		engine.Close()
		return nil, nil, err
	}
	return engine, event.WithMetadata(r.Context, event.Metadata{Actor: operator}), nil
}

// CommandLimit is how long one command may take.
const CommandLimit = 30 * time.Second

// DoWith does the same for a command that needs more of the engine than its desk.
func (f EngineFlags) DoWith(r *Run, config app.Config, tenant string,
	act func(context.Context, *app.Engine, commands.Desk) (Made, error),
) error {
	made, appended, err := f.do(r, config, tenant, act)
	if err != nil {
		return err
	}
	return f.print(r, made, appended)
}

func (f EngineFlags) do(r *Run, config app.Config, tenant string,
	act func(context.Context, *app.Engine, commands.Desk) (Made, error),
) (Made, []event.Recorded, error) {
	ctx, cancel := context.WithTimeout(r.Context, CommandLimit)
	defer cancel()
	follower := &sandbox.Follower{Real: r.Now}
	config.DatabaseURL, config.Now, config.RealNow = f.DatabaseURL, follower.Now, r.Now
	engine, err := app.Open(ctx, config)
	if err != nil {
		return nil, nil, err
	}
	defer engine.Close()
	if err := follower.Follow(ctx, engine.Log.DB); err != nil {
		return nil, nil, err
	}
	if r.SandboxOnly && !follower.InSandbox() {
		return nil, nil, errSandboxOnly
	}
	actor, err := f.actor(ctx, engine, tenant)
	if err != nil {
		return nil, nil, err
	}
	desk, listening := engine.Desk, &listeningStore{Store: engine.Desk.Store, Erasures: engine.Desk.Erasures}
	desk.Store, desk.Erasures = listening, listening
	made, err := act(event.WithMetadata(ctx, event.Metadata{Actor: actor}), engine, desk)
	if err != nil {
		return nil, nil, err
	}
	if err := engine.Drain(ctx); err != nil {
		return nil, nil, fmt.Errorf("the events are stored and will reach the log as soon as a server runs: %w", err)
	}
	return made, listening.appended, nil
}

// errNoPractice refuses --as for a command that is about no practice.
var errNoPractice = fault.New(fault.Invalid, "as-without-tenant", "--as names staff of a practice; this command is about none.")

// errSandboxOnly refuses an operator's command that would do the work of staff (D181).
var errSandboxOnly = fault.New(fault.Refused, "sandbox-only",
	"This command works only with the database of a sandbox. At a practice, staff do this on their pages, and applications by the API.")

// actor returns the actor of the events: the operator, and the member of staff that they act for.
func (f EngineFlags) actor(ctx context.Context, engine *app.Engine, tenant string) (event.Actor, error) {
	if f.As != "" && tenant == "" {
		return event.Actor{}, errNoPractice
	}
	operator, err := engine.Operator(ctx, Machine())
	if err != nil || f.As == "" {
		return operator, err
	}
	member, err := engine.Staff.StaffByUsername(ctx, tenant, f.As)
	if err != nil {
		return event.Actor{}, fmt.Errorf("find the member of staff to act for: %w", err)
	}
	return operator.ActingFor(member.UUID), nil
}

// Machine names the user and the host of this machine: "alice@desk7". It is unverified.
func Machine() string {
	name, host := "unknown", "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if h, err := os.Hostname(); err == nil {
		host = h
	}
	return name + "@" + host
}

// listeningStore remembers the events that are appended through it.
type listeningStore struct {
	commands.Store
	commands.Erasures
	mu       sync.Mutex
	appended []event.Recorded
}

// Append appends to the store and keeps the recorded events.
func (s *listeningStore) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	recorded, err := s.Store.Append(ctx, changes...)
	s.keep(recorded)
	return recorded, err
}

// Erase erases, and keeps the recorded events.
func (s *listeningStore) Erase(ctx context.Context, who erasure.Person, also []string, change func([]erasure.Key) (event.Change, error)) ([]event.Recorded, error) {
	recorded, err := s.Erasures.Erase(ctx, who, also, change)
	s.keep(recorded)
	return recorded, err
}

func (s *listeningStore) keep(recorded []event.Recorded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.appended = append(s.appended, recorded...)
}

// appendedEvent is an event as a command reports it.
type appendedEvent struct {
	ID      uuid.UUID `json:"id"`
	Name    string    `json:"name"`
	Stream  uuid.UUID `json:"stream"`
	Version int       `json:"version"`
}

// print reports results and events, in one JSON object or in lines.
func (f EngineFlags) print(r *Run, m Made, appended []event.Recorded) error {
	events := []appendedEvent{}
	for _, e := range appended {
		events = append(events, appendedEvent{e.ID, e.EventName(), e.Stream.ID, e.Version})
	}
	if f.JSON {
		object := Made{"events": events}
		maps.Copy(object, m)
		return json.NewEncoder(r.Out).Encode(object)
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(r.Out, "%s: %v\n", name, printable(m[name]))
	}
	for _, e := range events {
		fmt.Fprintf(r.Out, "appended %s\n", e.Name)
	}
	if len(events) == 0 {
		fmt.Fprintln(r.Out, "nothing to change")
	}
	return nil
}

// printable returns a value as a line shows it. An instant is RFC 3339, as it is in JSON.
func printable(value any) any {
	if at, ok := value.(time.Time); ok {
		return at.Format(time.RFC3339)
	}
	return value
}
