package enginetest

import (
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// MustExec runs a statement on a pool.
func MustExec(t testing.TB, pool *pgxpool.Pool, statement string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// Execute runs statements at the URL of a database.
func Execute(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// As is the URL for another role.
func As(t *testing.T, databaseURL, role string) string {
	t.Helper()
	at, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	at.User = url.User(role)
	return at.String()
}

// Text returns the text of an error, and "" without one.
func Text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Second returns the second of two results.
func Second[T any](_ T, err error) error { return err }
