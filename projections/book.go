package projections

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// Book finds patients by any part of their names. No table can be asked for that, because
// names are sealed. So the names of a practice are opened when somebody first searches
// there, and kept in memory until nobody has searched for a while. It is safe for
// concurrent use.
type Book struct {
	Names Names
	Now   func() time.Time
	Most  int // names of all practices together; 0 means 300,000, which are about 40 MB

	mu        sync.Mutex
	practices map[string]*section
}

// Found is a patient who was searched for.
type Found struct {
	Patient patient.ID
	PatientName
}

const (
	bookIdle = 15 * time.Minute // since the last search in a practice
	bookPace = time.Minute      // between two looks at what has changed while nobody searches
	bookPage = 500              // names that are opened at once
	bookMost = 300_000
)

// section is the names of one practice.
type section struct {
	turn  chan struct{}         // holds one while nobody reads or changes what follows
	names map[patient.ID]string // folded
	whole bool                  // they have been loaded
	upTo  int64                 // what the log says up to this idx is in them

	asked time.Time // when somebody last searched; [Book] guards this one, and the size
	size  int
}

// Search returns the patients of a practice whose names have all words of a text in them,
// whatever their case and accents, in the order of their names. If there are more than
// most of them, it returns the first, and true.
func (b *Book) Search(ctx context.Context, tenant, text string, most int) (found []Found, more bool, err error) {
	words := strings.Fields(folded(text))
	matching, err := b.matching(ctx, tenant, words)
	if err != nil {
		return nil, false, fmt.Errorf("search for a patient: %w", err)
	}
	more = len(matching) > most
	matching = matching[:min(most, len(matching))]
	names, err := b.Names.Of(ctx, tenant, matching...) // as they are now
	for _, id := range matching {
		if name, known := names[id]; known && name.Name != event.Erased && hasAll(folded(name.Name), words) {
			found = append(found, Found{id, name})
		}
	}
	return found, more, err
}

// matching returns the patients whose names have all words in them, in order.
func (b *Book) matching(ctx context.Context, tenant string, words []string) (ids []patient.ID, err error) {
	s := b.section(tenant)
	err = b.within(ctx, tenant, s, func() {
		for id, name := range s.names {
			if hasAll(name, words) {
				ids = append(ids, id)
			}
		}
		slices.SortFunc(ids, func(x, y patient.ID) int {
			return cmp.Or(strings.Compare(s.names[x], s.names[y]), strings.Compare(x.String(), y.String()))
		})
	})
	return ids, err
}

// section returns the names of a practice, which may have to be loaded.
func (b *Book) section(tenant string) *section {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.practices[tenant]
	if s == nil {
		s = &section{turn: make(chan struct{}, 1), names: map[patient.ID]string{}}
		s.turn <- struct{}{}
		if b.practices == nil {
			b.practices = map[string]*section{}
		}
		b.practices[tenant] = s
	}
	s.asked = b.Now()
	return s
}

// within brings the names of a practice up to the log, and does something with them
// before anybody else.
func (b *Book) within(ctx context.Context, tenant string, s *section, do func()) error {
	select {
	case <-s.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { s.turn <- struct{}{} }()
	if err := b.follow(ctx, tenant, s); err != nil {
		return err
	}
	do()
	return nil
}

// patientsChanged finds whose names may have changed. What is not in the log yet is found
// the next time.
const patientsChanged = `
SELECT DISTINCT e.patient FROM log l JOIN events e USING (position)
WHERE l.idx > $1 AND l.idx <= $2 AND e.tenant = $3 AND e.name LIKE 'patient.%' AND e.patient IS NOT NULL`

const patientsAfter = `SELECT patient FROM patients WHERE tenant = $1 AND patient > $2 ORDER BY patient LIMIT $3`

// follow loads the names of a practice, or those that have changed.
func (b *Book) follow(ctx context.Context, tenant string, s *section) error {
	head, err := Head{b.Names.DB}.Of(ctx)
	if err != nil {
		return err
	}
	catchUp := b.load
	if s.whole {
		catchUp = b.change
	}
	if err := catchUp(ctx, tenant, s, head); err != nil {
		return err
	}
	s.whole, s.upTo = true, head
	return nil
}

func (b *Book) change(ctx context.Context, tenant string, s *section, head int64) error {
	changed, err := b.patients(ctx, patientsChanged, s.upTo, head, tenant)
	if err != nil {
		return err
	}
	for page := range slices.Chunk(changed, bookPage) {
		if err := b.learn(ctx, tenant, s, page); err != nil {
			return err
		}
	}
	return nil
}

func (b *Book) load(ctx context.Context, tenant string, s *section, _ int64) error {
	var last patient.ID
	for {
		page, err := b.patients(ctx, patientsAfter, tenant, last, bookPage)
		if err != nil || len(page) == 0 {
			return err
		}
		if err := b.learn(ctx, tenant, s, page); err != nil {
			return err
		}
		last = page[len(page)-1]
	}
}

func (b *Book) patients(ctx context.Context, query string, args ...any) ([]patient.ID, error) {
	rows, _ := b.Names.DB.Query(ctx, query, args...)
	ids, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (id patient.ID, err error) {
		return id, row.Scan(&id.UUID)
	})
	if err != nil {
		return nil, fmt.Errorf("list patients: %w", err)
	}
	return ids, nil
}

// learn writes down what patients are called, and forgets those who are gone.
func (b *Book) learn(ctx context.Context, tenant string, s *section, page []patient.ID) error {
	names, err := b.Names.Of(ctx, tenant, page...)
	if err != nil {
		return err
	}
	for _, id := range page {
		delete(s.names, id)
		if name, known := names[id]; known && name.Name != event.Erased {
			s.names[id] = folded(name.Name)
		}
	}
	return b.makeRoom(s)
}
