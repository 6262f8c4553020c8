package postgrestest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/migrations"
)

// templateName names the migrations by their contents, so that a changed one
// makes a new template.
func templateName() (string, error) {
	hash := sha256.New()
	err := fs.WalkDir(migrations.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(migrations.FS, name)
		_, _ = fmt.Fprintf(hash, "%s %d\n", name, len(content))
		_, _ = hash.Write(content)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read migrations: %w", err)
	}
	return fmt.Sprintf("template_%x", hash.Sum(nil)[:8]), nil
}

// ensureTemplate makes the template unless it is there and complete, which is
// what its mark as a template says. The caller holds the gate.
func (s *shared) ensureTemplate(ctx context.Context) error {
	var complete bool
	err := s.admin.QueryRow(ctx,
		`SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND datistemplate)`, s.template).Scan(&complete)
	if err != nil || complete {
		return err
	}
	if err := s.exec(ctx, `DROP DATABASE IF EXISTS `+s.template); err != nil {
		return err
	}
	if err := s.exec(ctx, `CREATE DATABASE `+s.template); err != nil {
		return err
	}
	if _, err := postgres.Migrate(ctx, s.server.URL(s.template, embedded.Superuser)); err != nil {
		return err
	}
	return s.exec(ctx, `ALTER DATABASE `+s.template+` IS_TEMPLATE true ALLOW_CONNECTIONS false`)
}
