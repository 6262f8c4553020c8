package body

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"

	"github.com/google/uuid"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
)

// Uploads stores files until a request names them, and as long as a request does.
type Uploads interface {
	// AddChunk stores part n of a file, counted from 0 and encrypted, in a transaction
	// of its own. The caller may reuse data afterwards.
	AddChunk(ctx context.Context, tenant string, id request.AttachmentID, n int, data []byte) error
	// Discard deletes those of the files that no request names.
	Discard(ctx context.Context, tenant string, ids []request.AttachmentID) error
}

// Files reads the body of one patient request. It stores the files as they arrive,
// because they are too large to wait for the rest of the body. The caller must call
// [Files.Close], whether or not the request was submitted. It is not safe for
// concurrent use.
type Files struct {
	Tenant  string
	Uploads Uploads
	Texts   Texts
	Upload  *admission.Permit // permit for files; nil for no limit

	met    int                    // files that have begun so far
	stored []request.AttachmentID // the files with stored chunks
	chunk  []byte                 // the part of the current file that is not stored yet
}

// ReadCall reads the body of a call as [Files.Read] does. It hashes the body if
// the call has an Idempotency-Key. Files are stored under ctx.
func (f *Files) ReadCall(ctx context.Context, r *http.Request) (*Form, error) {
	raw, err := rawOf(r)
	if err != nil {
		return unread(err)
	}
	form, err := f.Read(ctx, raw)
	if err != nil {
		return nil, err
	}
	form.Digest = raw.sum()
	return form, nil
}

// Read reads a body as the form of a patient request. It holds only a limited part of
// the body in memory. As with the function [Read], the form keeps a refusal of the
// body, and an error means that the service could not read it.
func (f *Files) Read(ctx context.Context, body io.Reader) (*Form, error) {
	tree, err := f.tree(ctx, body)
	if err != nil {
		return unread(err)
	}
	return formOf(tree, requestShape), nil
}

// tree reads a body as [readJSON] does, with a [request.Content] for the data
// of each attachment.
func (f *Files) tree(ctx context.Context, body io.Reader) (any, error) {
	d := newDiverter(body, func() (file, error) { return f.next(ctx) })
	defer d.close()
	tree, err := readJSON(d, f.Texts, requestShape.all()...)
	f.chunk = nil
	if err != nil {
		return nil, err
	}
	return tree, settle(tree, d.found)
}

// Stored reports whether there are stored chunks, for [Files.Close] to check.
func (f *Files) Stored() bool { return len(f.stored) > 0 }

// Close deletes the files that no request names. If it fails, the sweeper deletes them
// later.
func (f *Files) Close(ctx context.Context) error {
	if !f.Stored() {
		return nil
	}
	if err := f.Uploads.Discard(ctx, f.Tenant, f.stored); err != nil {
		return fmt.Errorf("discard uploads: %w", err)
	}
	return nil
}

// next begins the next file of the body. Files beyond the allowed number are read but
// not stored.
func (f *Files) next(ctx context.Context) (file, error) {
	if err := Take(f.Upload); err != nil {
		return nil, err
	}
	f.met++
	f.chunk = f.chunk[:0]
	u := &upload{ctx: ctx, files: f, sum: sha256.New()}
	if f.met > request.MaxAttachments {
		return u, nil
	}
	u.id.UUID = event.NewID()
	var err error
	u.key = sealing.NewKey()
	u.seals, err = u.key.File(f.Tenant, u.id.UUID)
	return u, err
}

// upload stores one file as it arrives, encrypted with a key that only the event holds.
// It stores no more than the limit of an attachment.
type upload struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one call's body is read
	files  *Files
	id     request.AttachmentID // zero if the file is not stored
	chunks int                  // stored
	size   int64
	sum    hash.Hash // of the stored bytes
	key    sealing.Key
	seals  *sealing.File // nil if the file is not stored
}

// Write buffers bytes of the file. It stores a full chunk only when more bytes arrive,
// so that the last chunk is known to be the last.
func (u *upload) Write(p []byte) (int, error) {
	if u.size += int64(len(p)); !u.kept() {
		return len(p), nil
	}
	for rest := p; len(rest) > 0; {
		if len(u.files.chunk) == chunkSize {
			if err := u.flush(false); err != nil {
				return 0, err
			}
		}
		n := min(len(rest), chunkSize-len(u.files.chunk))
		u.files.chunk = append(u.files.chunk, rest[:n]...)
		rest = rest[n:]
	}
	return len(p), nil
}

func (u *upload) kept() bool {
	return u.id.UUID != uuid.Nil && u.size <= request.MaxAttachmentSize
}

// flush encrypts and stores the chunk.
func (u *upload) flush(last bool) error {
	f := u.files
	if len(f.chunk) == 0 {
		return nil
	}
	if u.chunks == 0 {
		f.stored = append(f.stored, u.id)
	}
	f.chunk = u.seals.Seal(f.chunk, u.chunks, last)
	u.sum.Write(f.chunk)
	if err := f.Uploads.AddChunk(u.ctx, f.Tenant, u.id, u.chunks, f.chunk); err != nil {
		return fmt.Errorf("store part %d of an upload: %w", u.chunks, err)
	}
	u.chunks++
	f.chunk = f.chunk[:0]
	return nil
}

// finish stores the rest of the file and returns its description.
func (u *upload) finish(mistake request.Mistake) (request.Content, error) {
	content := request.Content{Base64: mistake.Is == nil, Mistake: mistake, Size: u.size}
	if !content.Base64 || !u.kept() {
		return content, nil
	}
	if err := u.flush(true); err != nil {
		return content, err
	}
	content.ID, content.SHA256, content.Key = u.id, event.Digest(u.sum.Sum(nil)), u.key.Base64()
	return content, nil
}

var errNoMarker = errors.New("an attachment's data has passed the diverter")

// settle replaces the markers in a tree by their contents.
func settle(tree any, found map[string]request.Content) error {
	body, _ := tree.(map[string]any)
	items, _ := body["attachments"].([]any)
	for _, item := range items {
		file, _ := item.(map[string]any)
		marker, ok := file["data"].(string)
		if !ok {
			continue
		}
		content, ok := found[marker]
		if !ok {
			return errNoMarker
		}
		file["data"] = content
	}
	return nil
}
