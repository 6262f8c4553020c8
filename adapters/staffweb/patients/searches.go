package patients

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// Database stores searches.
type Database interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	ExecBatch(ctx context.Context, batch *pgx.Batch) error
}

// Searches stores the results of searches, so that any process can show their next
// pages. It stores only identifiers, for one session, never the typed text.
type Searches struct {
	DB  Database
	Now func() time.Time
}

const (
	searchLifetime  = 30 * time.Minute
	sessionSearches = 10 // of one session; the oldest are deleted
	mostFound       = 500
	pageSize        = 50 // on one page
)

// store stores a result and returns its name. It also deletes searches that are too old.
func (s Searches) store(ctx context.Context, session uuid.UUID, found []patient.ID) (search uuid.UUID, err error) {
	search = event.NewID()
	ids := make([]uuid.UUID, len(found))
	for n, id := range found {
		ids[n] = id.UUID
	}
	now, batch := s.Now(), &pgx.Batch{}
	batch.Queue(`DELETE FROM patient_searches WHERE made_at <= $1`, now.Add(-searchLifetime))
	batch.Queue(`INSERT INTO patient_searches (session, search, found, made_at) VALUES ($1, $2, $3, $4)`, session, search, ids, now)
	batch.Queue(`
		DELETE FROM patient_searches WHERE session = $1 AND search IN (
			SELECT search FROM patient_searches WHERE session = $1 ORDER BY made_at DESC, search DESC OFFSET $2)`, session, sessionSearches)
	if err := s.DB.ExecBatch(ctx, batch); err != nil {
		return uuid.Nil, fmt.Errorf("keep a search: %w", err)
	}
	return search, nil
}

// errNoSearch is the answer for a search that is no longer stored, or is another
// session's.
var errNoSearch = pagekit.NewErrorPage(http.StatusNotFound, "This search has ended",
	"We keep what a search has found for half an hour.", "Go to Patients and search again.")

// load returns the result of a search of the session.
func (s Searches) load(ctx context.Context, session, search uuid.UUID) (found []patient.ID, err error) {
	var ids []uuid.UUID
	err = s.DB.QueryRow(ctx, `SELECT found FROM patient_searches WHERE session = $1 AND search = $2 AND made_at > $3`,
		session, search, s.Now().Add(-searchLifetime)).Scan(&ids)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errNoSearch
	}
	if err != nil {
		return nil, fmt.Errorf("find a search: %w", err)
	}
	for _, id := range ids {
		found = append(found, patient.ID{UUID: id})
	}
	return found, nil
}
