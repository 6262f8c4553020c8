// Package migrations carries the database's schema inside the binary: numbered goose files
// (NNNN_name.sql), applied in order by the owner. None is edited after a release.
package migrations

import "embed"

// Shape lists every object that the migrations make, a line for each: its kind, its name and a
// digest of its definition. `go test ./adapters/postgres -run SchemaIsDeclared -update-shape`
// writes it.
//
//go:embed shape.txt
var Shape string

// FS holds the migrations, at its root.
//
//go:embed *.sql
var FS embed.FS
