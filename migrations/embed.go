// Package migrations carries the database's schema inside the binary: one
// numbered goose file per step (NNNN_name.sql), applied in order by the owner
// and never edited once released.
package migrations

import "embed"

// FS holds the migrations, at its root.
//
//go:embed *.sql
var FS embed.FS
