package commandtest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// Noon is the noon of a Monday. The clocks of tests begin at it.
var Noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// Store keeps streams in memory. It is safe for concurrent use.
type Store struct {
	codec *event.Codec

	mu      sync.Mutex
	streams map[event.Stream][]event.Recorded
	log     []event.Recorded
}

// NewStore returns an empty store that decodes the program's events and extra ones.
func NewStore(extra ...event.Event) *Store {
	codec, err := event.NewCodec(append(domain.Events(), extra...)...)
	if err != nil {
		panic(err) // the test's own events clash
	}
	return &Store{codec: codec, streams: map[event.Stream][]event.Recorded{}}
}

// Load returns the history of a stream, oldest event first. Personal values are hidden,
// as in every decision.
func (s *Store) Load(_ context.Context, stream event.Stream) ([]event.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var history []event.Event
	for _, e := range s.streams[stream] {
		history = append(history, event.Hide(e.Event))
	}
	return history, nil
}

// Append stores the events of all changes, or nothing.
func (s *Store) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken(event.MetadataFrom(ctx).Idempotency, changes) {
		return nil, fmt.Errorf("append: %w", commands.ErrKeyTaken)
	}
	if s.missPatients(changes) {
		return nil, fmt.Errorf("append: %w", patient.ErrUnknown)
	}
	added, version := []event.Recorded{}, map[event.Stream]int{}
	for _, change := range changes {
		if change.Expected != len(s.streams[change.Stream])+version[change.Stream] {
			return nil, fmt.Errorf("append: %w", event.ErrConflict)
		}
		version[change.Stream] += len(change.Events)
		for i, e := range change.Events {
			if _, _, err := s.codec.Encode(e); err != nil {
				return nil, err
			}
			id := event.NewID()
			if i == 0 && change.ID != uuid.Nil {
				id = change.ID
			}
			added = append(added, event.Recorded{
				Event: e, ID: id, Stream: change.Stream, Version: change.Expected + i + 1,
				At: Noon, Metadata: event.MetadataFrom(ctx),
			})
		}
	}
	for _, e := range added {
		s.streams[e.Stream] = append(s.streams[e.Stream], e)
	}
	s.log = append(s.log, added...)
	return added, nil
}

// taken reports whether an append would be the second under its key. The caller holds
// the lock.
func (s *Store) taken(i event.Idempotency, changes []event.Change) bool {
	if i == (event.Idempotency{}) || len(changes) == 0 {
		return false
	}
	return s.answer(i.Tenant, i.Key, Noon.Add(-commands.ResponseLifetime)) != (commands.Response{})
}

// missPatients reports whether the patient of a change is missing. The caller holds the
// lock.
func (s *Store) missPatients(changes []event.Change) bool {
	return slices.ContainsFunc(changes, func(change event.Change) bool {
		return change.OfPatient && slices.ContainsFunc(change.Events, func(e event.Event) bool {
			about, ok := e.(event.Patient)
			return !ok || !s.hasPatient(change.Stream.Tenant, patient.ID{UUID: about.PatientID()})
		})
	})
}

// Log returns every event appended so far.
func (s *Store) Log() []event.Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]event.Recorded(nil), s.log...)
}

// PatientExists reports whether the practice has the patient.
func (s *Store) PatientExists(_ context.Context, tenant string, id patient.ID) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hasPatient(tenant, id), nil
}

func (s *Store) hasPatient(tenant string, id patient.ID) bool {
	var p patient.Patient
	for _, e := range s.log {
		if about, ok := e.Event.(event.Patient); ok && e.Stream.Tenant == tenant && about.PatientID() == id.UUID {
			p = p.Apply(e.Event)
		}
	}
	return p.Known() == nil
}

// Receptions returns when a practice accepts requests.
func (s *Store) Receptions(_ context.Context, tenant string) (found practice.Receptions, err error) {
	found.Intakes = map[request.Type]practice.Intake{}
	for _, e := range s.Log() {
		if e.Stream.Tenant != tenant {
			continue
		}
		if registered, ok := e.Event.(practice.Registered); ok {
			found.Zone, err = time.LoadLocation(registered.TimeZone)
		}
		if e.Stream == practice.ClosuresStream(tenant) {
			found.Closures = found.Closures.Apply(e.Event)
		}
		for _, typ := range request.Types() {
			if e.Stream == practice.IntakeStream(tenant, typ) {
				found.Intakes[typ] = found.Intakes[typ].Apply(e.Event)
			}
		}
	}
	return found, err
}

// Response returns the answer that was given to a call with the key after an instant.
func (s *Store) Response(_ context.Context, tenant string, key event.Digest, after time.Time) (commands.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answer(tenant, key, after), nil
}

// answer returns the newest answer under a key. The caller holds the lock.
func (s *Store) answer(tenant string, key event.Digest, after time.Time) (found commands.Response) {
	for _, e := range s.log {
		if i := e.Metadata.Idempotency; i.Tenant == tenant && i.Key == key && e.At.After(after) {
			found = commands.Response{Text: i.Answer, Body: i.Body}
		}
	}
	return found
}

// Clock is a clock that moves only when a test moves it. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that is stopped at an instant.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Pass moves the clock forward.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
