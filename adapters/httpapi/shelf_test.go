package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"frontdesk/domain/request"
)

// shelf keeps uploads in memory.
type shelf struct {
	mu        sync.Mutex
	files     map[request.AttachmentID][][]byte
	discarded []request.AttachmentID
	fails     error // what AddChunk returns from the second part on
}

// AddChunk implements httpapi.Uploads.
func (s *shelf) AddChunk(ctx context.Context, tenant string, id request.AttachmentID, n int, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case tenant != "elm-street":
		return fmt.Errorf("a file of %q", tenant)
	case n != len(s.files[id]):
		return fmt.Errorf("part %d follows %d others", n, len(s.files[id]))
	case len(data) == 0 || len(data) > 256<<10:
		return fmt.Errorf("a part of %d bytes", len(data))
	case s.fails != nil && n > 0:
		return s.fails
	}
	if s.files == nil {
		s.files = map[request.AttachmentID][][]byte{}
	}
	s.files[id] = append(s.files[id], slices.Clone(data))
	return nil
}

// Discard implements httpapi.Uploads.
func (s *shelf) Discard(_ context.Context, _ string, ids []request.AttachmentID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(ids) == 0 {
		return errors.New("nothing to discard")
	}
	s.discarded = append(s.discarded, ids...)
	return nil
}

// file is what is kept of a file.
func (s *shelf) file(id request.AttachmentID) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Concat(s.files[id]...)
}

// stored is how many bytes are kept.
func (s *shelf) stored() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, parts := range s.files {
		for _, part := range parts {
			n += len(part)
		}
	}
	return n
}
