package httpapi

import (
	"context"
	"fmt"
	"hash"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/request"
)

// chunkSize is the bytes of a file that are stored at a time.
const chunkSize = 256 << 10

// upload stores one file while it arrives, and no more of it than an
// attachment may have.
type upload struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one call's body is read
	body   *RequestBody
	id     request.AttachmentID // zero: the file is not kept
	chunks int                  // stored
	size   int64
	sum    hash.Hash
}

// Write implements [io.Writer].
func (u *upload) Write(p []byte) (int, error) {
	if u.size += int64(len(p)); !u.kept() {
		return len(p), nil
	}
	if err := u.body.upload.take(); err != nil {
		return 0, err
	}
	u.sum.Write(p)
	for rest := p; len(rest) > 0; {
		n := min(len(rest), chunkSize-len(u.body.chunk))
		u.body.chunk = append(u.body.chunk, rest[:n]...)
		rest = rest[n:]
		if len(u.body.chunk) < chunkSize {
			break
		}
		if err := u.flush(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

func (u *upload) kept() bool {
	return u.id.UUID != uuid.Nil && u.size <= request.MaxAttachmentSize
}

// flush stores the chunk.
func (u *upload) flush() error {
	body := u.body
	if len(body.chunk) == 0 {
		return nil
	}
	if u.chunks == 0 {
		body.stored = append(body.stored, u.id)
	}
	if err := body.Uploads.AddChunk(u.ctx, body.Tenant, u.id, u.chunks, body.chunk); err != nil {
		return fmt.Errorf("store part %d of an upload: %w", u.chunks, err)
	}
	u.chunks++
	body.chunk = body.chunk[:0]
	return nil
}

// finish implements [file].
func (u *upload) finish(base64 bool) (request.Content, error) {
	content := request.Content{Base64: base64, Size: u.size}
	if !base64 || !u.kept() {
		return content, nil
	}
	content.ID, content.SHA256 = u.id, event.Digest(u.sum.Sum(nil))
	return content, u.flush()
}
