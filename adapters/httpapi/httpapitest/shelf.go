package httpapitest

import (
	"context"
	"crypto/sha3"
	"errors"
	"fmt"
	"slices"
	"sync"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/request"
)

// Shelf stores the uploads of the tenant elm-street in memory. Its methods are safe for
// concurrent use.
type Shelf struct {
	Fails     error                  // the error of AddChunk from the second part on
	Discarded []request.AttachmentID // by Discard, whether stored or not

	mu    sync.Mutex
	files map[request.AttachmentID][][]byte
}

// AddChunk stores the next part of a file. A part that is out of order, empty or longer
// than 256 KiB plus the 28 bytes of its encryption is an error.
func (s *Shelf) AddChunk(ctx context.Context, tenant string, id request.AttachmentID, n int, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case tenant != "elm-street":
		return fmt.Errorf("a file of %q", tenant)
	case n != len(s.files[id]):
		return fmt.Errorf("part %d follows %d others", n, len(s.files[id]))
	case len(data) == 0 || len(data) > 256<<10+28:
		return fmt.Errorf("a part of %d bytes", len(data))
	case s.Fails != nil && n > 0:
		return s.Fails
	}
	if s.files == nil {
		s.files = map[request.AttachmentID][][]byte{}
	}
	s.files[id] = append(s.files[id], slices.Clone(data))
	return nil
}

// Discard records the files to delete.
func (s *Shelf) Discard(_ context.Context, _ string, ids []request.AttachmentID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(ids) == 0 {
		return errors.New("nothing to discard")
	}
	s.Discarded = append(s.Discarded, ids...)
	return nil
}

// File returns the stored bytes of a file.
func (s *Shelf) File(id request.AttachmentID) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Concat(s.files[id]...)
}

// Opened decrypts a file with its key.
func (s *Shelf) Opened(id request.AttachmentID, key string) (plain []byte, err error) {
	parsed, err := sealing.ParseKey(key)
	if err != nil {
		return nil, err
	}
	file, err := parsed.File("elm-street", id.UUID)
	if err != nil {
		return nil, err
	}
	parts := s.Parts(id)
	for n, sealed := range parts {
		part, err := file.Open(slices.Clone(sealed), n, n == len(parts)-1)
		if err != nil {
			return nil, fmt.Errorf("part %d of %d: %w", n, len(parts), err)
		}
		plain = append(plain, part...)
	}
	return plain, nil
}

// Parts returns the stored parts of a file.
func (s *Shelf) Parts(id request.AttachmentID) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.files[id])
}

// Stored returns the number of stored bytes.
func (s *Shelf) Stored() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, parts := range s.files {
		for _, part := range parts {
			n += len(part)
		}
	}
	return n
}

// Noise returns n bytes that do not compress, the same for the same seed.
func Noise(seed uint64, n int) []byte {
	stream, data := sha3.NewSHAKE128(), make([]byte, n)
	_, _ = stream.Write([]byte{byte(seed), byte(seed >> 8)})
	_, _ = stream.Read(data)
	return data
}
