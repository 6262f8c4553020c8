package httpapi

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"frontdesk/domain/event"
	"frontdesk/domain/request"
)

// Uploads keeps files until a request names them, and for as long as one
// does.
type Uploads interface {
	// AddChunk keeps one part of a file, from n = 0 on, in a transaction of its
	// own. It does not keep data itself.
	AddChunk(ctx context.Context, tenant string, id request.AttachmentID, n int, data []byte) error
	// Discard forgets those of the files that no request names.
	Discard(ctx context.Context, tenant string, ids []request.AttachmentID) error
}

// RequestBody reads the body of one patient request. Its files are stored on
// the way, because they are too large to wait for the rest: whatever becomes
// of the request, [RequestBody.Close] it in the end.
type RequestBody struct {
	Tenant  string
	Uploads Uploads

	files  int                    // met so far
	stored []request.AttachmentID // of these, the ones of which something is stored
	chunk  []byte                 // what is not stored yet of the file that is read

	text, upload *seat // nil at a command line, where there is room
}

// Read reads one JSON value and nothing after it, as [ReadJSON] does, with a
// [request.Content] for the data of each attachment: what [request.Parse]
// reads. In memory it holds a bounded part of the body at any time, whatever
// its size.
func (b *RequestBody) Read(ctx context.Context, body io.Reader) (any, error) {
	d := newDiverter(body, func() file { return b.next(ctx) })
	defer d.close()
	tree, err := ReadJSON(&inline{r: d, seat: b.text})
	b.chunk = nil
	if err != nil {
		return nil, err
	}
	return tree, settle(tree, d.found)
}

// next is the next file of the body. More than are allowed are read and not
// kept.
func (b *RequestBody) next(ctx context.Context) file {
	b.files++
	b.chunk = b.chunk[:0]
	u := &upload{ctx: ctx, body: b, sum: sha256.New()}
	if b.files <= request.MaxAttachments {
		u.id.UUID = event.NewID()
	}
	return u
}

// Close forgets the files that no request names by now. What it cannot reach
// is left to the sweeper.
func (b *RequestBody) Close(ctx context.Context) error {
	if len(b.stored) == 0 {
		return nil
	}
	if err := b.Uploads.Discard(ctx, b.Tenant, b.stored); err != nil {
		return fmt.Errorf("discard uploads: %w", err)
	}
	return nil
}

var errNoMarker = errors.New("an attachment's data has passed the diverter")

// settle puts contents where their markers are.
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
