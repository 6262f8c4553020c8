package postgrestest

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
)

// Database is a migrated database that belongs to one test, and is gone when
// the test is over.
type Database struct {
	URL      string // as the serving role, frontdesk_app
	AdminURL string // as its owner, a superuser
}

// New makes a database for tb and fails tb when it cannot.
func New(tb testing.TB) *Database {
	tb.Helper()
	s, err := sharedCluster()
	if err != nil {
		tb.Fatalf("shared Postgres for tests: %v", err)
	}
	name := "test_" + strings.ToLower(rand.Text())
	if err := s.exec(tb.Context(), "CREATE DATABASE "+name+" TEMPLATE "+s.template); err != nil {
		tb.Fatalf("create database: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			tb.Errorf("drop database: %v", err)
		}
	})
	return &Database{
		URL:      s.server.URL(name, postgres.AppRole),
		AdminURL: s.server.URL(name, embedded.Superuser),
	}
}

// Pool opens a pool as the serving role and closes it when tb is over. A test
// that needs another kind of pool opens it on URL.
func (d *Database) Pool(tb testing.TB) *pgxpool.Pool {
	tb.Helper()
	return pool(tb, d.URL)
}

// AdminPool opens a pool as the owner and closes it when tb is over.
func (d *Database) AdminPool(tb testing.TB) *pgxpool.Pool {
	tb.Helper()
	return pool(tb, d.AdminURL)
}

func pool(tb testing.TB, url string) *pgxpool.Pool {
	tb.Helper()
	p, err := postgres.NewPool(tb.Context(), url, 0)
	if err != nil {
		tb.Fatalf("open pool: %v", err)
	}
	tb.Cleanup(p.Close)
	return p
}
