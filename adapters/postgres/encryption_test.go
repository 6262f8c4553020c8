package postgres_test

import (
	"testing"

	"frontdesk/adapters/postgres"
)

func TestUnverifiedServerIsNamed_D108(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"postgres://app@127.0.0.1/frontdesk":                                                 "",
		"postgres://app@localhost/frontdesk?sslmode=disable":                                 "",
		"postgres://app@[::1]/frontdesk":                                                     "",
		"postgres:///frontdesk?host=/run/postgresql":                                         "",
		"postgres://app@db.example.org/frontdesk?sslmode=verify-full&sslrootcert=system":     "",
		"postgres://app@db1,db2/frontdesk?sslmode=verify-full&sslrootcert=system":            "",
		"postgres://app@db.example.org/frontdesk":                                            "db.example.org",
		"postgres://app@db.example.org/frontdesk?sslmode=disable":                            "db.example.org",
		"postgres://app@db.example.org/frontdesk?sslmode=require":                            "db.example.org",
		"postgres://app@localhost,db2/frontdesk?sslmode=prefer":                              "db2",
		"postgres://app@192.0.2.7/frontdesk?sslmode=disable&target_session_attrs=read-write": "192.0.2.7",
	} {
		if got, err := postgres.Unverified(url); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", url, got, err, want)
		}
	}
}
