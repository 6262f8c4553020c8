package uploads

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

// Reasons why a file cannot be read.
var (
	ErrAlteredFile = errors.New("what is kept of this attachment is not what was sent")
	ErrSealedFile  = errors.New("this attachment is sealed: give the master key with --master-key-file")
	ErrMissingFile = errors.New("nothing is kept of this attachment")
	ErrErasedFile  = fault.New(fault.Missing, "erased", "This attachment was erased.")
)

// Open returns a reader of a file that an event names. It holds one part in memory at a
// time, and ends with [ErrAlteredFile] instead of io.EOF unless the file has the size and the
// digest in the event. A file whose event could not be opened is [ErrSealedFile] or
// [ErrErasedFile].
func (u *Store) Open(ctx context.Context, tenant string, file request.Attachment) (io.Reader, error) {
	p := &parts{ctx: ctx, uploads: u, tenant: tenant, file: file, left: file.Size, sum: sha256.New()}
	switch file.Key {
	case event.Hidden:
		return nil, ErrSealedFile
	case event.Erased:
		return nil, ErrErasedFile
	}
	key, err := sealing.ParseKey(file.Key)
	if err != nil {
		return nil, fmt.Errorf("open an attachment: %w", err)
	}
	p.seals, err = key.File(tenant, file.ID.UUID)
	return p, err
}

// Check compares a stored file with what its event says, and decrypts it if its key is
// known. Without a key it compares the digest and the size of what is stored. It returns
// [ErrMissingFile] or [ErrAlteredFile] if they differ.
func (u *Store) Check(ctx context.Context, tenant string, file request.Attachment) (opened bool, err error) {
	var kept bool
	if err := u.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM upload_chunks WHERE tenant = $1 AND upload = $2)`, tenant, file.ID).Scan(&kept); err != nil {
		return false, fmt.Errorf("look for an upload: %w", err)
	}
	if !kept {
		return false, ErrMissingFile
	}
	if file.Key == event.Hidden || file.Key == event.Erased {
		return false, u.checkSealed(ctx, tenant, file)
	}
	content, err := u.Open(ctx, tenant, file)
	if errors.Is(err, sealing.ErrNotAKey) {
		return false, ErrAlteredFile
	}
	if err == nil {
		_, err = io.Copy(io.Discard, content)
	}
	return err == nil, err
}

// checkSealed compares the stored parts of a file with its event, without opening them.
func (u *Store) checkSealed(ctx context.Context, tenant string, file request.Attachment) error {
	sum, size := sha256.New(), int64(0)
	for n, last := 0, false; !last; n++ {
		var data []byte
		err := u.DB.QueryRow(ctx, readPart, tenant, file.ID, n).Scan(&data, &last)
		if errors.Is(err, pgx.ErrNoRows) {
			break
		}
		if err != nil {
			return fmt.Errorf("read part %d of an upload: %w", n, err)
		}
		sum.Write(data)
		size += int64(len(data)) - sealing.PartOverhead
	}
	if size != file.Size || event.Digest(sum.Sum(nil)) != file.SHA256 {
		return ErrAlteredFile
	}
	return nil
}

// parts reads a file with one part of it in memory at a time.
type parts struct {
	ctx     context.Context //nolint:containedctx // a reader has nowhere else to get it from
	uploads *Store
	tenant  string
	file    request.Attachment
	seals   *sealing.File
	sum     hash.Hash // of the stored parts
	left    int64     // bytes that have not been read yet
	n       int
	part    bytes.Reader
}

// Read reads on in the part at hand, and fetches the next one after its end.
func (p *parts) Read(b []byte) (int, error) {
	for p.part.Len() == 0 {
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	return p.part.Read(b)
}

const readPart = `
SELECT data, NOT EXISTS (SELECT FROM upload_chunks WHERE tenant = $1 AND upload = $2 AND n = $3 + 1)
FROM upload_chunks WHERE tenant = $1 AND upload = $2 AND n = $3`

func (p *parts) next() error {
	var data []byte
	var last bool
	err := p.uploads.DB.QueryRow(p.ctx, readPart, p.tenant, p.file.ID, p.n).Scan(&data, &last)
	if errors.Is(err, pgx.ErrNoRows) {
		return p.end()
	}
	if err != nil {
		return fmt.Errorf("read part %d of an upload: %w", p.n, err)
	}
	p.sum.Write(data)
	data, err = p.seals.Open(data, p.n, last)
	if p.left -= int64(len(data)); err != nil || p.left < 0 {
		return ErrAlteredFile
	}
	p.n++
	p.part.Reset(data)
	return nil
}

// end compares the parts read with the size and the digest in the event.
func (p *parts) end() error {
	if p.left != 0 || event.Digest(p.sum.Sum(nil)) != p.file.SHA256 {
		return ErrAlteredFile
	}
	return io.EOF
}
