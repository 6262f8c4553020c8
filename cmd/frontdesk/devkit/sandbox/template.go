package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/durable"
	"frontdesk/adapters/postgres/embedded"
)

// A sandbox keeps a copy of its database just after seeding, and a reset returns to it. If a
// reset fails or is killed, the next start finds the note that it was begun, and repeats it.
const (
	templateDatabase = "frontdesk_seed"
	spareDatabase    = "frontdesk_spare"    // another copy, which takes the place of the database in no time
	templateSeed     = "seed-template.json" // seed.json as it was then
	resetNote        = "reset-begun"
	seedName         = "seed.json"
	seedingNote      = "seeding-begun" // until the copy is kept
)

// keepTemplate copies the database, which must have no connections, and its seed.
func keepTemplate(ctx context.Context, dir string, database *embedded.Server) error {
	err := asSuperuser(ctx, database, dropDatabase(templateDatabase), copyDatabase(templateDatabase, databaseName))
	if err != nil {
		return fmt.Errorf("keep a copy of the seeded sandbox: %w", err)
	}
	return copyFile(filepath.Join(dir, seedName), filepath.Join(dir, templateSeed))
}

// hasTemplate reports whether the sandbox can be reset.
func hasTemplate(dir string) bool { return exists(filepath.Join(dir, templateSeed)) }

// makeSpare copies the template.
func makeSpare(ctx context.Context, database *embedded.Server) error {
	return asSuperuser(ctx, database, dropDatabase(spareDatabase), copyDatabase(spareDatabase, templateDatabase))
}

// restored notes that a reset has ended.
func restored(dir string) error { return removeFiles(dir, []string{resetNote}) }

// restore resets the sandbox to its state just after seeding. All other connections to the
// database are closed. There must be a spare.
func restore(ctx context.Context, dir string, database *embedded.Server) error {
	note := filepath.Join(dir, resetNote)
	if err := os.WriteFile(note, nil, 0o600); err != nil {
		return fmt.Errorf("reset the sandbox: %w", err)
	}
	err := asSuperuser(ctx, database, dropDatabase(databaseName), renameDatabase(spareDatabase, databaseName))
	if err != nil {
		return fmt.Errorf("reset the sandbox: %w", err)
	}
	if err := sign(ctx, dir, database, databaseName); err != nil {
		return fmt.Errorf("reset the sandbox: %w", err)
	}
	if err := copyFile(filepath.Join(dir, templateSeed), filepath.Join(dir, seedName)); err != nil {
		return err
	}
	if err := removeFiles(dir, []string{clockName}); err != nil {
		return fmt.Errorf("reset the sandbox: %w", err)
	}
	return nil
}

// finishReset completes a reset that an earlier start has begun and not ended.
func finishReset(ctx context.Context, dir string, database *embedded.Server) error {
	if !exists(filepath.Join(dir, resetNote)) {
		return nil
	}
	if err := makeSpare(ctx, database); err != nil {
		return fmt.Errorf("finish the reset of the sandbox: %w", err)
	}
	return restore(ctx, dir, database)
}

// quote writes a text as SQL does.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func dropDatabase(name string) string {
	return "DROP DATABASE IF EXISTS " + pgx.Identifier{name}.Sanitize() + " WITH (FORCE)"
}

func renameDatabase(from, to string) string {
	return "ALTER DATABASE " + pgx.Identifier{from}.Sanitize() + " RENAME TO " + pgx.Identifier{to}.Sanitize()
}

func copyDatabase(to, from string) string {
	return "CREATE DATABASE " + pgx.Identifier{to}.Sanitize() + " TEMPLATE " + pgx.Identifier{from}.Sanitize() + " OWNER " + embedded.Owner
}

// asSuperuser runs statements that no transaction can hold.
func asSuperuser(ctx context.Context, database *embedded.Server, statements ...string) error {
	conn, err := pgx.Connect(ctx, database.URL("postgres", embedded.Superuser))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// copyFile replaces a whole file with the content of another one.
func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("copy %s: %w", filepath.Base(from), err)
	}
	if err := durable.Replace(to, 0o600, data); err != nil {
		return fmt.Errorf("copy %s: %w", filepath.Base(from), err)
	}
	return nil
}
