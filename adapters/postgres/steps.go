package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// steps applies migrations, one at a time.
type steps struct {
	files   fs.FS
	config  *pgx.ConnConfig
	sources []*goose.Source
	current int64    // the version that the schema is at
	applied []string // file names
}

// open returns a provider with connections of its own, so that the settings end with them.
func (s *steps) open(settings map[string]string) (*goose.Provider, *sql.DB, error) {
	config := s.config.Copy()
	maps.Copy(config.RuntimeParams, settings)
	db := stdlib.OpenDB(*config)
	provider, err := goose.NewProvider(goose.DialectPostgres, db, s.files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		_ = db.Close()
		return nil, nil, fmt.Errorf("read migrations: %w", err)
	}
	return provider, db, nil
}

// versions finds the current and the target version of the schema.
func (s *steps) versions(ctx context.Context) (Migrated, error) {
	provider, db, err := s.open(nil)
	if err != nil {
		return Migrated{}, err
	}
	defer db.Close()
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return Migrated{}, fmt.Errorf("read schema version: %w", err)
	}
	if current > target {
		return Migrated{}, &SchemaError{Database: current, Program: target}
	}
	s.current, s.sources = current, provider.ListSources()
	return Migrated{From: current, To: target}, nil
}

// next applies the next migration, or returns [goose.ErrNoNextVersion].
func (s *steps) next(ctx context.Context) error {
	settings, err := s.prepare(ctx)
	if err != nil {
		return err
	}
	provider, db, err := s.open(settings)
	if err != nil {
		return err
	}
	defer db.Close()
	result, err := provider.UpByOne(ctx)
	if partial, ok := errors.AsType[*goose.PartialError](err); ok {
		return fmt.Errorf("apply %s: %w", partial.Failed.Source.Path, partial.Err)
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	s.current, s.applied = result.Source.Version, append(s.applied, result.Source.Path)
	return nil
}

// withoutTransaction marks a migration whose statements run one by one. They only make
// and drop indexes CONCURRENTLY: no call waits behind that, so they may wait without a
// limit. A test checks this.
var withoutTransaction = regexp.MustCompile(`(?m)^-- \+goose NO TRANSACTION$`)

// prepare returns the settings under which the next migration is applied, and drops the
// unfinished indexes of an earlier attempt at it.
func (s *steps) prepare(ctx context.Context) (settings map[string]string, err error) {
	for _, source := range s.sources {
		if source.Version <= s.current {
			continue
		}
		text, err := fs.ReadFile(s.files, source.Path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", source.Path, err)
		}
		if withoutTransaction.Match(text) {
			return nil, s.dropBroken(ctx, string(text))
		}
		break
	}
	return map[string]string{"lock_timeout": BriefLock}, nil
}

// brokenIndexes finds the indexes that a migration names and that an earlier attempt has
// not finished. CREATE INDEX IF NOT EXISTS would take them for good ones.
const brokenIndexes = `
SELECT format('DROP INDEX CONCURRENTLY %s', indexrelid::regclass) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE NOT indisvalid AND relnamespace = 'public'::regnamespace AND relname = ANY (regexp_split_to_array($1, '\W+'))`

func (s *steps) dropBroken(ctx context.Context, text string) error {
	return s.connected(ctx, func(conn *pgx.Conn) error {
		rows, _ := conn.Query(ctx, brokenIndexes, text)
		drops, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("look for unfinished indexes: %w", err)
		}
		for _, drop := range drops {
			if _, err := conn.Exec(ctx, drop); err != nil {
				return fmt.Errorf("drop an unfinished index: %w", err)
			}
		}
		return nil
	})
}

// grantVersion lets both roles read the schema version, for [CheckSchema]. It is no
// migration, because the table is goose's and no migration should know its name.
const grantVersion = `GRANT SELECT ON ` + goose.DefaultTablename + ` TO ` + AppRole + `, ` + AuditRole

func (s *steps) grant(ctx context.Context) error {
	return s.connected(ctx, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, grantVersion); err != nil {
			return fmt.Errorf("let the program read the schema version: %w", err)
		}
		return nil
	})
}

// connected calls do with a connection of its own.
func (s *steps) connected(ctx context.Context, do func(*pgx.Conn) error) error {
	conn, err := pgx.ConnectConfig(ctx, s.config.Copy())
	if err != nil {
		return fmt.Errorf("connect to migrate: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return do(conn)
}
