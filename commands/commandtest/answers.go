package commandtest

import (
	"context"
	"time"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/event"
)

// Answer implements commands.Answers.
func (s *Store) Answer(_ context.Context, tenant string, key event.Digest, after time.Time) (commands.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answer(tenant, key, after), nil
}

// answer is the newest answer under a key; the caller holds the lock.
func (s *Store) answer(tenant string, key event.Digest, after time.Time) (found commands.Answer) {
	for _, e := range s.log {
		if i := e.Metadata.Idempotency; e.Stream.Tenant == tenant && i.Key == key && e.At.After(after) {
			found = commands.Answer{Made: e.Stream.ID, Body: i.Body}
		}
	}
	return found
}

// taken reports whether an append would be the second under its key; the
// caller holds the lock.
func (s *Store) taken(i event.Idempotency, changes []event.Change) bool {
	if i == (event.Idempotency{}) || len(changes) == 0 {
		return false
	}
	return s.answer(changes[0].Stream.Tenant, i.Key, Noon.Add(-commands.AnswerLifetime)).Made != uuid.Nil
}
