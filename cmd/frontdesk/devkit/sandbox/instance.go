package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/devkit/reference"
	"frontdesk/domain/application"
)

// instance is a running sandbox: the parts that stay while one service replaces another.
type instance struct {
	config   Config
	service  app.Config // of each service
	database *embedded.Server
	clock    *clock
	keys     *keyServer
	inbox    *inbox
	docs     reference.Handler
	resets   chan chan<- error // each receives the result of its reset

	mu          sync.RWMutex // held while no service runs
	now         *app.App     // the service that runs
	application application.ID
}

// run serves until ctx ends. Each reset ends one service and begins another.
func (i *instance) run(ctx context.Context) error {
	defer func() { _ = os.Remove(InfoFile(i.config.Dir)) }()
	i.mu.Lock() // until there is a service
	defer func() { i.now = nil; i.mu.Unlock() }()
	var asked chan<- error // for the reset that led here; nil at the start
	for {
		service, err := i.open(ctx, asked == nil)
		if asked != nil {
			asked <- err
		}
		if err != nil {
			return err
		}
		copied := i.copyAhead(ctx)
		asked, err = i.serve(ctx, service)
		spare := copied()
		if asked == nil {
			return err
		}
		if err := i.restore(ctx, spare); err != nil {
			asked <- err
			return err
		}
	}
}

// copyAhead makes a copy for the next reset while the service runs. The function that it
// returns waits for the copy and returns its error.
func (i *instance) copyAhead(ctx context.Context) (copied func() error) {
	if !hasTemplate(i.config.Dir) {
		return func() error { return nil }
	}
	ended := make(chan error, 1)
	go func() { ended <- makeSpare(ctx, i.database) }()
	return func() error { return <-ended }
}

// serve runs a service until ctx ends, it fails, or a reset is requested, which it returns.
// In the last case the instance is closed: it has no service.
func (i *instance) serve(ctx context.Context, service *app.App) (asked chan<- error, err error) {
	serving, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- service.Run(serving) }()
	i.now = service
	i.mu.Unlock()
	select {
	case err = <-ended:
		i.mu.Lock()
		return nil, err
	case asked = <-i.resets:
	}
	i.mu.Lock()
	service.Hurry()
	stop()
	if err := <-ended; err != nil {
		i.config.Log.WarnContext(ctx, "the reset has cut off calls", slog.Any("error", err))
	}
	return asked, nil
}

// open seeds missing data and opens a service on the database.
func (i *instance) open(ctx context.Context, first bool) (*app.App, error) {
	s, err := i.prepare(ctx)
	if err != nil {
		return nil, err
	}
	if err := i.moveErasures(ctx); err != nil {
		return nil, err
	}
	settings := i.service
	settings.Obstacle = obstacles(s, i.clock.Now, i.config.Now)
	service, err := app.New(ctx, settings)
	if err != nil {
		return nil, err
	}
	info := infoOf(i, service, s)
	i.application = s.Application
	i.keys.receiveStaff(info)
	if err := errors.Join(i.showDocs(info), writeJSON(InfoFile(i.config.Dir), info)); err != nil {
		service.Close()
		return nil, err
	}
	if first {
		welcome(i.config.Out, i.config.Dir, info, i.clock)
		if i.config.Started != nil {
			i.config.Started()
		}
	}
	return service, nil
}

// prepare seeds missing data, before any call is served. A first seeding is kept for resets.
func (i *instance) prepare(ctx context.Context) (seed, error) {
	note := filepath.Join(i.config.Dir, seedingNote)
	if !exists(filepath.Join(i.config.Dir, seedName)) {
		if err := os.WriteFile(note, nil, 0o600); err != nil {
			return seed{}, err
		}
	}
	s, err := i.seed(ctx)
	if err != nil || !exists(note) {
		return s, err
	}
	if err := keepTemplate(ctx, i.config.Dir, i.database); err != nil {
		return s, err
	}
	return s, os.Remove(note)
}

func (i *instance) seed(ctx context.Context) (seed, error) {
	name, planted, err := pick(i.config.Dir, i.config.Seed)
	if err != nil {
		return seed{}, err
	}
	how := seeding{dir: i.config.Dir, name: name, jwksURL: i.keys.url(), receiverURL: i.inbox.server.URL(), now: i.clock.Now()}
	settings := i.service
	if name == Busy && !planted {
		how.calendar = &calendar{at: how.now.Add(-busyPast)}
		settings.Now = how.calendar.Now
	}
	engine, err := app.Open(ctx, settings)
	if err != nil {
		return seed{}, err
	}
	defer engine.Close()
	if err := engine.Desk.EnsureSigningKey(ctx); err != nil {
		return seed{}, err
	}
	s, err := how.seeded(ctx, engine)
	if err != nil {
		return seed{}, err
	}
	if exists(filepath.Join(i.config.Dir, resetNote)) {
		if err := freshen(bySandbox(ctx), engine.Desk, filepath.Join(i.config.Dir, seedName), &s, i.clock.Now()); err != nil {
			return seed{}, fmt.Errorf("book the day again: %w", err)
		}
	}
	if err := engine.Drain(ctx); err != nil {
		return seed{}, err
	}
	return s, restored(i.config.Dir)
}

// restore resets everything in the instance to its state just after seeding. If the spare
// could not be made while the service ran, it is made now.
func (i *instance) restore(ctx context.Context, spare error) error {
	if spare != nil {
		if err := makeSpare(ctx, i.database); err != nil {
			return fmt.Errorf("reset the sandbox: %w", err)
		}
	}
	if err := restore(ctx, i.config.Dir, i.database); err != nil {
		return err
	}
	if err := i.clock.toRealTime(); err != nil {
		return err
	}
	return i.inbox.empty()
}

// reset resets the practice to its state just after seeding. It returns when the sandbox
// serves again.
func (i *instance) reset(ctx context.Context) error {
	if !hasTemplate(i.config.Dir) {
		return refused("An older program has seeded this sandbox and kept no copy. Stop it, and start it once with --fresh.")
	}
	done := make(chan error, 1)
	select {
	case i.resets <- done:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errStopping = refused("The sandbox is stopping.")

// setClock moves the clock, unless the setting is "", and returns its time.
func (i *instance) setClock(ctx context.Context, setting string) (time.Time, error) {
	i.mu.RLock()
	defer i.mu.RUnlock()
	if setting == "" {
		return i.clock.Now(), nil
	}
	if i.now == nil {
		return time.Time{}, errStopping
	}
	if err := i.clock.set(ctx, setting, i.newest); err != nil {
		return i.clock.Now(), err
	}
	return i.clock.Now(), i.moveErasures(ctx)
}

// moveErasures sets the database's clock for erasures to that of the sandbox.
func (i *instance) moveErasures(ctx context.Context) error {
	return postgres.MoveClock(ctx, i.database.URL(databaseName, embedded.Superuser), i.clock.ahead())
}

// newest returns when the newest event was recorded. A sandbox has few enough of them for a
// full scan.
func (i *instance) newest(ctx context.Context) (at time.Time, err error) {
	err = i.now.Log.DB.QueryRow(ctx, `SELECT coalesce(max(recorded_at), 'epoch') FROM events`).Scan(&at)
	return at, err
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
