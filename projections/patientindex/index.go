package patientindex

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
	"frontdesk/projections"
)

// Book finds patients by their names and dates of birth. Both are encrypted, so no
// table can be searched for them. The first search in a practice decrypts its names,
// and they stay in memory until no search was made for a while. It is safe for
// concurrent use.
type Book struct {
	Names projections.Names
	Now   func() time.Time
	Most  int // limit of names, for all practices together; 0 means 300,000, about 40 MB

	mu        sync.Mutex
	practices map[string]*section
}

// Found is a patient that a search found.
type Found struct {
	Patient patient.ID
	projections.PatientName
}

// BookTidying is how often to call [Book.Tidy].
const BookTidying = time.Minute

const (
	bookIdle = 15 * time.Minute // since the last search in a practice
	bookPage = 500              // names that are decrypted at once
	bookMost = 300_000
)

// section is the names of one practice.
type section struct {
	turn  chan struct{} // a semaphore of one permit: its holder reads and changes the fields below
	lines []line        // in order; replaced as a whole, so that it can be read without the turn
	whole bool          // lines have been loaded
	upTo  int64         // lines reflect the log up to this idx

	asked time.Time // time of the last search; guarded by [Book], as is the size
	size  int
}

// line is one patient in the book.
type line struct {
	patient patient.ID
	name    string // folded
	born    string // 2006-01-02; "" if unknown
}

// before orders the lines of a practice.
func (l line) before(other line) int {
	return cmp.Or(strings.Compare(l.name, other.name), strings.Compare(l.patient.String(), other.patient.String()))
}

// section returns the names of a practice, possibly not yet loaded.
func (b *Book) section(tenant string) *section {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.practices[tenant]
	if s == nil {
		s = &section{turn: make(chan struct{}, 1)}
		s.turn <- struct{}{}
		if b.practices == nil {
			b.practices = map[string]*section{}
		}
		b.practices[tenant] = s
	}
	s.asked = b.Now()
	return s
}

// upToDate returns the names of a practice as of the log now.
func (b *Book) upToDate(ctx context.Context, tenant string, s *section) ([]line, error) {
	select {
	case <-s.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { s.turn <- struct{}{} }()
	err := b.follow(ctx, tenant, s)
	return s.lines, err
}

// patientsChanged finds the patients whose names may have changed. Events that are not
// in the log yet are found the next time.
const patientsChanged = `
SELECT DISTINCT e.patient FROM (SELECT position FROM log WHERE idx > $1 AND idx <= $2 OFFSET 0) l
CROSS JOIN LATERAL (SELECT tenant, name, patient FROM events WHERE position = l.position OFFSET 0) e
WHERE e.tenant = $3 AND e.name LIKE 'patient.%' AND e.patient IS NOT NULL`

const patientsAfter = `SELECT patient FROM patients WHERE tenant = $1 AND patient > $2 ORDER BY patient LIMIT $3`

// follow loads the names of a practice, or those that have changed.
func (b *Book) follow(ctx context.Context, tenant string, s *section) error {
	head, err := Head{b.Names.DB}.Of(ctx)
	if err != nil {
		return err
	}
	catchUp := b.load
	switch {
	case s.whole && s.upTo == head:
		return nil
	case s.whole:
		catchUp = b.change
	}
	lines, err := catchUp(ctx, tenant, s, head)
	if err != nil {
		return err
	}
	s.lines, s.whole, s.upTo = lines, true, head
	return nil
}

// change returns the lines with those of changed patients, and without those of
// patients who are gone.
func (b *Book) change(ctx context.Context, tenant string, s *section, head int64) ([]line, error) {
	changed, err := b.patients(ctx, patientsChanged, s.upTo, head, tenant)
	if err != nil || len(changed) == 0 {
		return s.lines, err
	}
	anew := make(map[patient.ID]bool, len(changed))
	for _, id := range changed {
		anew[id] = true
	}
	lines := slices.DeleteFunc(slices.Clone(s.lines), func(l line) bool { return anew[l.patient] })
	for page := range slices.Chunk(changed, bookPage) {
		if lines, err = b.learn(ctx, tenant, s, lines, page); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(lines, line.before)
	return lines, nil
}

func (b *Book) load(ctx context.Context, tenant string, s *section, _ int64) (lines []line, err error) {
	var last patient.ID
	for {
		page, err := b.patients(ctx, patientsAfter, tenant, last, bookPage)
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			slices.SortFunc(lines, line.before)
			return lines, nil
		}
		if lines, err = b.learn(ctx, tenant, s, lines, page); err != nil {
			return nil, err
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

// learn adds a line for each patient of a page who is not gone.
func (b *Book) learn(ctx context.Context, tenant string, s *section, lines []line, page []patient.ID) ([]line, error) {
	names, err := b.Names.Of(ctx, tenant, page...)
	if err != nil {
		return nil, err
	}
	for _, id := range page {
		if name, known := names[id]; known && name.Name != event.Erased {
			lines = append(lines, line{id, folded(name.Name), name.BirthDate})
		}
	}
	return lines, b.makeRoom(s, len(lines))
}
