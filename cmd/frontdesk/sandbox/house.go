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
	"frontdesk/cmd/frontdesk/reference"
	"frontdesk/domain/application"
)

// house is a sandbox that runs: what stays while one service takes the place of another.
type house struct {
	config   Config
	service  app.Config // of each service
	database *embedded.Server
	clock    *clock
	keys     *keyServer
	inbox    *inbox
	docs     reference.Handler
	resets   chan chan<- error // each is told how it ended

	mu          sync.RWMutex // held while no service runs
	now         *app.App     // the service that runs
	application application.ID
}

// run serves until ctx ends. Each reset ends one service and begins another.
func (h *house) run(ctx context.Context) error {
	defer func() { _ = os.Remove(infoFile(h.config.Dir)) }()
	h.mu.Lock() // until there is a service
	defer func() { h.now = nil; h.mu.Unlock() }()
	var asked chan<- error // for the reset that led here; nil at the start
	for {
		service, err := h.open(ctx, asked == nil)
		if asked != nil {
			asked <- err
		}
		if err != nil {
			return err
		}
		copied := h.copyAhead(ctx)
		asked, err = h.serve(ctx, service)
		spare := copied()
		if asked == nil {
			return err
		}
		if err := h.restore(ctx, spare); err != nil {
			asked <- err
			return err
		}
	}
}

// copyAhead makes a copy for the next reset while the service runs. What it returns waits
// for it and says how it went.
func (h *house) copyAhead(ctx context.Context) (copied func() error) {
	if !hasTemplate(h.config.Dir) {
		return func() error { return nil }
	}
	ended := make(chan error, 1)
	go func() { ended <- makeSpare(ctx, h.database) }()
	return func() error { return <-ended }
}

// serve runs a service until ctx ends, it fails, or a reset is asked for, which it returns.
// In the last case the house is closed: it has no service.
func (h *house) serve(ctx context.Context, service *app.App) (asked chan<- error, err error) {
	serving, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- service.Run(serving) }()
	h.now = service
	h.mu.Unlock()
	select {
	case err = <-ended:
		h.mu.Lock()
		return nil, err
	case asked = <-h.resets:
	}
	h.mu.Lock()
	service.Hurry()
	stop()
	if err := <-ended; err != nil {
		h.config.Log.WarnContext(ctx, "the reset has cut off calls", slog.Any("error", err))
	}
	return asked, nil
}

// open seeds what the database lacks and opens a service on it.
func (h *house) open(ctx context.Context, first bool) (*app.App, error) {
	s, err := h.seed(ctx)
	if err != nil {
		return nil, err
	}
	if err := h.moveErasures(ctx); err != nil {
		return nil, err
	}
	settings := h.service
	settings.Obstacle = obstacles(s, h.clock.Now, h.config.Now)
	service, err := app.New(ctx, settings)
	if err != nil {
		return nil, err
	}
	info := infoOf(h, service, s)
	h.application = s.Application
	h.keys.receiveStaff(info)
	if err := errors.Join(h.showDocs(info), writeJSON(infoFile(h.config.Dir), info)); err != nil {
		service.Close()
		return nil, err
	}
	if first {
		welcome(h.config.Out, h.config.Dir, info, h.clock)
		if h.config.Started != nil {
			h.config.Started()
		}
	}
	return service, nil
}

// seed seeds what the database lacks, before anybody is served. What was seeded for the
// first time is kept for resets.
func (h *house) seed(ctx context.Context) (seed, error) {
	note := filepath.Join(h.config.Dir, seedingNote)
	if !exists(filepath.Join(h.config.Dir, seedName)) {
		if err := os.WriteFile(note, nil, 0o600); err != nil {
			return seed{}, err
		}
	}
	s, err := h.sow(ctx)
	if err != nil || !exists(note) {
		return s, err
	}
	if err := keepTemplate(ctx, h.config.Dir, h.database); err != nil {
		return s, err
	}
	return s, os.Remove(note)
}

func (h *house) sow(ctx context.Context) (seed, error) {
	engine, err := app.Open(ctx, h.service)
	if err != nil {
		return seed{}, err
	}
	defer engine.Close()
	if err := engine.Desk.EnsureSigningKey(ctx); err != nil {
		return seed{}, err
	}
	s, err := seeded(ctx, h.config.Dir, engine, h.keys.url(), h.inbox.server.URL(), h.clock.Now())
	if err != nil {
		return seed{}, err
	}
	if exists(filepath.Join(h.config.Dir, resetNote)) {
		if err := freshen(bySandbox(ctx), engine.Desk, filepath.Join(h.config.Dir, seedName), &s, h.clock.Now()); err != nil {
			return seed{}, fmt.Errorf("book the day anew: %w", err)
		}
	}
	if err := engine.Drain(ctx); err != nil {
		return seed{}, err
	}
	return s, restored(h.config.Dir)
}

// restore makes everything that the house keeps what it was just after it was seeded. If
// the spare could not be made while the service ran, it is made now.
func (h *house) restore(ctx context.Context, spare error) error {
	if spare != nil {
		if err := makeSpare(ctx, h.database); err != nil {
			return fmt.Errorf("reset the sandbox: %w", err)
		}
	}
	if err := restore(ctx, h.config.Dir, h.database); err != nil {
		return err
	}
	if err := h.clock.toRealTime(); err != nil {
		return err
	}
	return h.inbox.empty()
}

// reset makes the practice what it was just after it was seeded. It returns when the
// sandbox serves again.
func (h *house) reset(ctx context.Context) error {
	if !hasTemplate(h.config.Dir) {
		return refused("An older program has seeded this sandbox and kept no copy. Stop it, and start it once with --fresh.")
	}
	done := make(chan error, 1)
	select {
	case h.resets <- done:
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

// setClock moves the clock, unless the setting is "", and returns what it shows.
func (h *house) setClock(ctx context.Context, setting string) (time.Time, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if setting == "" {
		return h.clock.Now(), nil
	}
	if h.now == nil {
		return time.Time{}, errStopping
	}
	if err := h.clock.set(ctx, setting, h.newest); err != nil {
		return h.clock.Now(), err
	}
	return h.clock.Now(), h.moveErasures(ctx)
}

// moveErasures has the database's clock for erasures show what the sandbox's does.
func (h *house) moveErasures(ctx context.Context) error {
	return postgres.MoveClock(ctx, h.database.URL(databaseName, embedded.Superuser), h.clock.ahead())
}

// newest returns when the newest event was recorded. A sandbox has few enough of them to
// look at each.
func (h *house) newest(ctx context.Context) (at time.Time, err error) {
	err = h.now.Log.DB.QueryRow(ctx, `SELECT coalesce(max(recorded_at), 'epoch') FROM events`).Scan(&at)
	return at, err
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
