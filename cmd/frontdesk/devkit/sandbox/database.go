package sandbox

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
)

const (
	databaseName = "frontdesk"
	servingRole  = "frontdesk_app"
	startLimit   = 5 * time.Minute // on a busy machine
	stopLimit    = 20 * time.Second
)

// startDatabase runs the sandbox's own Postgres, with the program's schema.
func startDatabase(ctx context.Context, config Config) (*embedded.Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if config.Fresh || config.Container {
		if err := forget(ctx, config.Dir); err != nil {
			return nil, err
		}
	}
	server, err := embedded.Start(ctx, embedded.Config{Dir: config.Dir, Log: config.Log})
	if err != nil {
		return nil, err
	}
	if err := prepare(ctx, config.Dir, server); err != nil {
		stopDatabase(ctx, server)
		return nil, err
	}
	return server, nil
}

// forget removes all files of earlier runs.
func forget(ctx context.Context, dir string) error {
	if err := embedded.Remove(ctx, dir); err != nil {
		return fmt.Errorf("start afresh: %w", err)
	}
	err := removeFiles(dir, []string{seedName, templateSeed, seedingNote, resetNote, keyName, masterKeyName, inboxName, clockName})
	if err != nil {
		return fmt.Errorf("start afresh: %w", err)
	}
	return nil
}

// prepare migrates the database to this program, and with it the copy for resets.
func prepare(ctx context.Context, dir string, server *embedded.Server) error {
	if err := finishReset(ctx, dir, server); err != nil {
		return err
	}
	names := []string{databaseName} // errors of the copy do not matter, because only this program uses it
	if hasTemplate(dir) {
		names = append(names, templateDatabase)
	}
	for _, name := range names {
		if err := bringUp(ctx, server, name); err != nil {
			return err
		}
	}
	return sign(ctx, dir, server, databaseName)
}

func bringUp(ctx context.Context, server *embedded.Server, name string) error {
	if err := server.EnsureDatabase(ctx, name); err != nil {
		return err
	}
	superuser := server.URL(name, embedded.Superuser)
	if err := postgres.CreateRoles(ctx, superuser); err != nil {
		return err
	}
	_, err := postgres.Migrate(ctx, server.URL(name, embedded.Owner))
	return err
}

func stopDatabase(ctx context.Context, server *embedded.Server) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	_ = server.Stop(ctx) // the server logs it
}

// keepDatabase starts the server again whenever it dies, until ctx ends. In the
// meantime calls are answered 503.
func keepDatabase(ctx context.Context, server *embedded.Server, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-server.Done():
		}
		log.WarnContext(ctx, "Postgres has died; restarting it")
		restarting, cancel := context.WithTimeout(ctx, startLimit)
		err := server.Restart(restarting)
		cancel()
		if err != nil && ctx.Err() == nil {
			log.ErrorContext(ctx, "Postgres does not start; retrying", slog.Any("error", err))
			background.Sleep(ctx, time.Second)
		}
	}
}

// ForgetDatabases removes libpq's settings of other databases (PGSERVICE, PGOPTIONS, …) from
// the environment. They would be added to those of the sandbox's own database, and redirect
// it.
func ForgetDatabases() {
	for _, setting := range os.Environ() {
		if name, _, _ := strings.Cut(setting, "="); strings.HasPrefix(name, "PG") {
			_ = os.Unsetenv(name) // it fails for names that no environment has
		}
	}
}
