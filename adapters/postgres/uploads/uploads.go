package uploads

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/domain/request"
)

// Store keeps files, in parts, from before an event names them. Its pool has few
// connections, which bounds the number of parts written at once and their memory.
type Store struct {
	DB   postgres.DB
	Keys *keyring.Keyring // encrypts files and names
	Now  func() time.Time
}

// A part is not flushed to the disk on its own. The append that names the file comes
// later in the same write-ahead log, and its flush also writes the parts.
const (
	addChunk = `INSERT INTO upload_chunks (tenant, upload, n, data)
		SELECT $1::text, $2::uuid, $3::int, $4::bytea FROM set_config('synchronous_commit', 'off', true)`
	beginUpload = `WITH begun AS (INSERT INTO uploads (tenant, upload, started_at) VALUES ($1, $2, $5)) ` + addChunk
)

// AddChunk stores part n of a file in a transaction of its own. The first part is 0.
func (u *Store) AddChunk(ctx context.Context, tenant string, id request.AttachmentID, n int, data []byte) error {
	sql, args := addChunk, []any{tenant, id, n, data}
	if n == 0 {
		sql, args = beginUpload, append(args, u.Now())
	}
	if _, err := u.DB.Exec(ctx, sql, args...); err != nil {
		return fmt.Errorf("add part of an upload: %w", err)
	}
	return nil
}

// unnamed selects the uploads that no event names. If an event comes to name one
// during the statement, its foreign key makes the statement fail, and nothing is
// deleted.
const unnamed = ` AND NOT EXISTS (SELECT FROM attachments a WHERE a.tenant = u.tenant AND a.attachment = u.upload)`

// Discard deletes those of the files that no event names.
func (u *Store) Discard(ctx context.Context, tenant string, ids []request.AttachmentID) error {
	uploads := make([]uuid.UUID, len(ids))
	for i, id := range ids {
		uploads[i] = id.UUID
	}
	_, err := u.DB.Exec(ctx, `DELETE FROM uploads u WHERE tenant = $1 AND upload = ANY($2)`+unnamed, tenant, uploads)
	if err != nil {
		return fmt.Errorf("discard uploads: %w", err)
	}
	return nil
}

// sweepUploads looks at each old upload once: it deletes the upload, or notes that an
// event names it, which holds for ever. An append that is about to name one holds its
// lock, and the sweep skips it. As in [unnamed], the foreign key prevents a wrong deletion.
const sweepUploads = `
WITH old AS MATERIALIZED (
	SELECT u.ctid AS row, (SELECT 1 FROM attachments a WHERE a.tenant = u.tenant AND a.attachment = u.upload) IS NOT NULL AS named
	FROM uploads u WHERE NOT named AND started_at < $1 ORDER BY started_at LIMIT $2 FOR UPDATE SKIP LOCKED),
kept AS (UPDATE uploads SET named = true WHERE ctid = ANY (ARRAY (SELECT row FROM old WHERE named))),
swept AS (DELETE FROM uploads WHERE ctid = ANY (ARRAY (SELECT row FROM old WHERE NOT named)) RETURNING 1)
SELECT (SELECT count(*) FROM old), (SELECT count(*) FROM swept)`

// Sweep deletes the files that were begun before an instant and that no event names,
// and returns their number.
func (u *Store) Sweep(ctx context.Context, before time.Time) (int64, error) {
	swept, err := sweep(ctx, u.DB, sweepUploads, before)
	if err != nil {
		return swept, fmt.Errorf("sweep uploads: %w", err)
	}
	return swept, nil
}
