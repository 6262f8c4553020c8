package patientindex

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// Index holds the names and NHS numbers of practices in which searches were made. It is safe
// for concurrent use.
type Index struct {
	Names projections.Names
	Now   func() time.Time
	Most  int // maximum of names, for all practices together; 0 means 300,000, some 28 MB

	mu        sync.Mutex
	practices map[string]*practice
}

// Match is a patient that a search found.
type Match struct {
	Patient patient.ID
	projections.PatientName
}

// TidyInterval is how often to call [Index.Tidy].
const TidyInterval = time.Minute

const (
	maxIdle     = 15 * time.Minute // since the last search in a practice
	pageSize    = 500              // names that are decrypted at once
	defaultMost = 300_000
)

// practice is the names of one practice.
type practice struct {
	permit  chan struct{} // a semaphore of one: the holder of its permit reads and changes the fields below
	entries []entry       // in order; replaced as a whole, so that they can be read without the permit
	loaded  bool
	upTo    int64 // the entries reflect the log up to this idx

	searched time.Time // last search; guarded by [Index], as is the size
	size     int
}

// entry is one patient.
type entry struct {
	patient patient.ID
	name    string // folded
	birth   string // 2006-01-02; "" if unknown
	number  int64  // the NHS number; 0 if unknown
}

// compare orders the entries of a practice.
func (e entry) compare(other entry) int {
	return cmp.Or(strings.Compare(e.name, other.name), strings.Compare(e.patient.String(), other.patient.String()))
}

// practice returns the names of a practice, possibly not yet loaded.
func (x *Index) practice(tenant string) *practice {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := x.practices[tenant]
	if p == nil {
		p = &practice{permit: make(chan struct{}, 1)}
		p.permit <- struct{}{}
		if x.practices == nil {
			x.practices = map[string]*practice{}
		}
		x.practices[tenant] = p
	}
	p.searched = x.Now()
	return p
}

// upToDate returns the names of a practice as of the log now.
func (x *Index) upToDate(ctx context.Context, tenant string, p *practice) ([]entry, error) {
	select {
	case <-p.permit:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { p.permit <- struct{}{} }()
	err := x.update(ctx, tenant, p)
	return p.entries, err
}

// patientsChanged finds the patients whose names may have changed. Events that are not
// in the log yet are found the next time.
const patientsChanged = `
SELECT DISTINCT e.patient FROM (SELECT position FROM log WHERE idx > $1 AND idx <= $2 OFFSET 0) l
CROSS JOIN LATERAL (SELECT tenant, name, patient FROM events WHERE position = l.position OFFSET 0) e
WHERE e.tenant = $3 AND e.name LIKE 'patient.%' AND e.patient IS NOT NULL`

const patientsAfter = `SELECT patient FROM patients WHERE tenant = $1 AND patient > $2 ORDER BY patient LIMIT $3`

// update loads the names of a practice, or those that have changed.
func (x *Index) update(ctx context.Context, tenant string, p *practice) error {
	var head int64
	if err := x.Names.DB.QueryRow(ctx, `SELECT head FROM sequencer`).Scan(&head); err != nil {
		return fmt.Errorf("read the head of the log: %w", err)
	}
	catchUp := x.load
	switch {
	case p.loaded && p.upTo == head:
		return nil
	case p.loaded:
		catchUp = x.refresh
	}
	entries, err := catchUp(ctx, tenant, p, head)
	if err != nil {
		return err
	}
	p.entries, p.loaded, p.upTo = entries, true, head
	return nil
}

// refresh returns the entries with those of changed patients, and without those of
// patients who are gone.
func (x *Index) refresh(ctx context.Context, tenant string, p *practice, head int64) ([]entry, error) {
	changed, err := x.patients(ctx, patientsChanged, p.upTo, head, tenant)
	if err != nil || len(changed) == 0 {
		return p.entries, err
	}
	stale := make(map[patient.ID]bool, len(changed))
	for _, id := range changed {
		stale[id] = true
	}
	var current []entry
	for page := range slices.Chunk(changed, pageSize) {
		read, _, err := x.read(ctx, tenant, page)
		if err != nil {
			return nil, err
		}
		current = append(current, read...)
	}
	entries := replaced(p.entries, stale, current)
	return entries, x.makeRoom(p, len(entries))
}

// replaced returns entries in order, with current ones in place of those of stale patients. It
// sorts only these, because one change in a large practice is the rule.
func replaced(entries []entry, stale map[patient.ID]bool, current []entry) []entry {
	slices.SortFunc(current, entry.compare)
	all := make([]entry, 0, len(entries)+len(current))
	for _, e := range entries {
		if stale[e.patient] {
			continue
		}
		for len(current) > 0 && current[0].compare(e) < 0 {
			all, current = append(all, current[0]), current[1:]
		}
		all = append(all, e)
	}
	return append(all, current...)
}

func (x *Index) load(ctx context.Context, tenant string, p *practice, _ int64) (entries []entry, err error) {
	var last patient.ID
	for {
		page, err := x.patients(ctx, patientsAfter, tenant, last, pageSize)
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			slices.SortFunc(entries, entry.compare)
			return entries, nil
		}
		if entries, err = x.add(ctx, tenant, p, entries, page); err != nil {
			return nil, err
		}
		last = page[len(page)-1]
	}
}

func (x *Index) patients(ctx context.Context, query string, args ...any) ([]patient.ID, error) {
	rows, _ := x.Names.DB.Query(ctx, query, args...)
	ids, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (id patient.ID, err error) {
		return id, row.Scan(&id.UUID)
	})
	if err != nil {
		return nil, fmt.Errorf("list patients: %w", err)
	}
	return ids, nil
}

// add adds an entry for each patient of a page who is not gone.
func (x *Index) add(ctx context.Context, tenant string, p *practice, entries []entry, page []patient.ID) ([]entry, error) {
	current, _, err := x.read(ctx, tenant, page)
	if err != nil {
		return nil, err
	}
	entries = append(entries, current...)
	return entries, x.makeRoom(p, len(entries))
}

// read returns the current entries of patients who are not gone, and their names.
func (x *Index) read(ctx context.Context, tenant string, ids []patient.ID) (entries []entry, names map[patient.ID]projections.PatientName, err error) {
	if names, err = x.Names.Find(ctx, tenant, ids...); err != nil {
		return nil, nil, err
	}
	contacts, err := projections.Contacts{DB: x.Names.DB, Opens: x.Names.Opens}.Find(ctx, tenant, ids...)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		if name, known := names[id]; known && name.Name != event.Erased {
			entries = append(entries, entry{id, fold(name.Name), name.BirthDate, numberOf(contacts[id].NHSNumber)})
		}
	}
	return entries, names, nil
}

// numberOf returns an NHS number as entries have it; 0 for any other text, and for ten zeros,
// which are a placeholder.
func numberOf(text string) int64 {
	digits, ok := patient.ParseNHSNumber(text)
	if !ok {
		return 0
	}
	number, _ := strconv.ParseInt(digits, 10, 64) // 10 digits
	return number
}

// ErrFull means that one practice has more patients than the index can hold. They can
// only be found by their identifiers.
var ErrFull = errors.New("the index of patients is full")

// makeRoom evicts the least recently searched practices until there is room for one
// that has grown.
func (x *Index) makeRoom(grown *practice, size int) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	grown.size = size
	for {
		all, oldest := grown.size, ""
		for tenant, p := range x.practices {
			if p == grown {
				continue
			}
			all += p.size
			if oldest == "" || p.searched.Before(x.practices[oldest].searched) {
				oldest = tenant
			}
		}
		switch {
		case all <= cmp.Or(x.Most, defaultMost):
			return nil
		case oldest == "":
			return ErrFull
		}
		delete(x.practices, oldest)
	}
}

// Tidy evicts practices without a search for a while, and removes patients who are gone
// from the others. It evicts a practice that it cannot bring up to date, and returns no
// error.
func (x *Index) Tidy(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, TidyInterval)
	defer cancel()
	for tenant, p := range x.evictIdle() {
		if _, err := x.upToDate(ctx, tenant, p); err != nil {
			x.evict(tenant)
		}
	}
	return nil
}

// evictIdle evicts practices without a recent search, and returns the others.
func (x *Index) evictIdle() map[string]*practice {
	x.mu.Lock()
	defer x.mu.Unlock()
	kept := map[string]*practice{}
	for tenant, p := range x.practices {
		if x.Now().Sub(p.searched) < maxIdle {
			kept[tenant] = p
		}
	}
	x.practices = kept
	return maps.Clone(kept)
}

func (x *Index) evict(tenant string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.practices, tenant)
}
