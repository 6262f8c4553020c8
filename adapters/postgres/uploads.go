package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

// Uploads keeps files, in parts: from before an event names them, and for as
// long as one does. Its pool bounds how many parts are written at once, and
// with them the memory that writing takes.
type Uploads struct {
	DB  DB
	Now func() time.Time
}

// chunkLimit bounds the writing of one part, a queue for a connection
// included.
const chunkLimit = 30 * time.Second

// A part need not reach the disk before the next one comes: the append that
// names the file is written behind it, and waits for both.
const (
	addChunk = `INSERT INTO upload_chunks (tenant, upload, n, data)
		SELECT $1::text, $2::uuid, $3::int, $4::bytea FROM set_config('synchronous_commit', 'off', true)`
	beginUpload = `WITH begun AS (INSERT INTO uploads (tenant, upload, started_at) VALUES ($1, $2, $5)) ` + addChunk
)

// AddChunk keeps part n of a file, from 0 on, in a transaction of its own.
func (u *Uploads) AddChunk(ctx context.Context, tenant string, id request.AttachmentID, n int, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, chunkLimit)
	defer cancel()
	sql, args := addChunk, []any{tenant, id, n, data}
	if n == 0 {
		sql, args = beginUpload, append(args, u.Now())
	}
	if _, err := u.DB.Exec(ctx, sql, args...); err != nil {
		return fmt.Errorf("add part of an upload: %w", err)
	}
	return nil
}

// unnamed are uploads that no event names. One that is named just now is kept
// by its reference: then the statement fails, and nothing is forgotten.
const unnamed = ` AND NOT EXISTS (SELECT FROM attachments a WHERE a.tenant = u.tenant AND a.attachment = u.upload)`

// Discard forgets those of the files that no event names.
func (u *Uploads) Discard(ctx context.Context, tenant string, ids []request.AttachmentID) error {
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

// Sweep forgets the files that were begun before an instant and that no event
// names, and says how many they were.
func (u *Uploads) Sweep(ctx context.Context, before time.Time) (int64, error) {
	done, err := u.DB.Exec(ctx, `DELETE FROM uploads u WHERE started_at < $1`+unnamed, before)
	if err != nil {
		return 0, fmt.Errorf("sweep uploads: %w", err)
	}
	return done.RowsAffected(), nil
}

// Open reads what is kept of a file, part by part; nothing, when nothing is.
func (u *Uploads) Open(ctx context.Context, tenant string, id request.AttachmentID) io.Reader {
	return &parts{ctx: ctx, uploads: u, tenant: tenant, id: id}
}

// parts reads a file, one part in memory at a time.
type parts struct {
	ctx     context.Context //nolint:containedctx // a reader has nowhere else to get it from
	uploads *Uploads
	tenant  string
	id      request.AttachmentID
	n       int
	part    bytes.Reader
}

// Read implements [io.Reader].
func (p *parts) Read(b []byte) (int, error) {
	for p.part.Len() == 0 {
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	return p.part.Read(b)
}

func (p *parts) next() error {
	var data []byte
	err := p.uploads.DB.QueryRow(p.ctx,
		`SELECT data FROM upload_chunks WHERE tenant = $1 AND upload = $2 AND n = $3`, p.tenant, p.id, p.n).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return io.EOF
	}
	if err != nil {
		return fmt.Errorf("read part %d of an upload: %w", p.n, err)
	}
	p.n++
	p.part.Reset(data)
	return nil
}

// errSwept is an append that names a file which is no longer there: it took
// more than a day to arrive.
var errSwept = fault.New(fault.Unavailable, "unavailable", "What was sent has been waiting for too long. Send it again.")
