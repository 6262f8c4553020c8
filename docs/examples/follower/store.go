package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/request"
	"frontdesk/feed"

	_ "modernc.org/sqlite" // the driver
)

// Store holds the follower's tables, and the place in the log up to which they are derived.
// Both change in one transaction, so neither is ever ahead of the other.
type Store struct{ db *sql.DB }

// The tables. A request is stored until it is completed, for the time that this took, and
// after that because it may be reopened.
const tables = `
CREATE TABLE IF NOT EXISTS place (one INTEGER PRIMARY KEY CHECK (one = 1), epoch INTEGER NOT NULL, idx INTEGER NOT NULL);
INSERT INTO place VALUES (1, 0, 0) ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS requests (
	id        TEXT PRIMARY KEY,
	practice  TEXT NOT NULL,
	type      TEXT NOT NULL,
	submitted INTEGER NOT NULL, -- in seconds since 1970
	completed INTEGER           -- NULL while it is open
);
CREATE VIEW IF NOT EXISTS days AS
	SELECT practice, date(submitted, 'unixepoch') AS day, type, count(*) AS submitted, count(completed) AS completed,
		round(avg(completed - submitted)) AS seconds
	FROM requests GROUP BY 1, 2, 3;`

// handled are the events that change the tables. The follower receives no others.
var handled = []string{
	request.Submitted{}.EventName(), request.Completed{}.EventName(), request.Reopened{}.EventName(), request.EnteredInError{}.EventName(),
}

// open opens a store, and creates it if it does not exist. A power cut takes place and rows
// alike, and the follower reads those events again: so no write waits for the disk.
func open(ctx context.Context, file string) (*Store, error) {
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=busy_timeout(5000)&_txlock=immediate")
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	if _, err := db.ExecContext(ctx, tables); err != nil {
		return nil, errors.Join(fmt.Errorf("make the tables of the store: %w", err), db.Close())
	}
	return &Store{db}, nil
}

// Close closes the store.
func (s *Store) Close() error { return s.db.Close() }

// Place returns the place of the last event that was handled.
func (s *Store) Place(ctx context.Context) (at feed.Place, err error) {
	return at, s.db.QueryRowContext(ctx, `SELECT epoch, idx FROM place`).Scan(&at.Epoch, &at.Idx)
}

// Pass notes that nothing was to be handled up to a place.
func (s *Store) Pass(ctx context.Context, at feed.Place) error {
	return s.change(ctx, at, func(*sql.Tx) error { return nil })
}

// Handle applies an event to the tables.
func (s *Store) Handle(ctx context.Context, m feed.Message) error {
	r, err := m.Recorded()
	if err != nil {
		return err
	}
	return s.change(ctx, m.Place(), func(tx *sql.Tx) error { return handle(ctx, tx, r) })
}

func handle(ctx context.Context, tx *sql.Tx, r event.Recorded) (err error) {
	id, at := r.Stream.ID.String(), r.At.Unix()
	switch e := r.Event.(type) {
	case request.Submitted:
		_, err = tx.ExecContext(ctx, `INSERT INTO requests VALUES (?, ?, ?, ?, NULL)`, id, r.Stream.Tenant, string(e.Type), at)
	case request.Completed:
		_, err = tx.ExecContext(ctx, `UPDATE requests SET completed = ? WHERE id = ?`, at, id)
	case request.Reopened:
		_, err = tx.ExecContext(ctx, `UPDATE requests SET completed = NULL WHERE id = ?`, id)
	case request.EnteredInError:
		_, err = tx.ExecContext(ctx, `DELETE FROM requests WHERE id = ?`, id)
	}
	return err
}

// change changes rows and the place. Of two followers that have opened one file, the later
// one changes nothing.
func (s *Store) change(ctx context.Context, at feed.Place, rows func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin with %s: %w", at, err)
	}
	defer tx.Rollback() //nolint:errcheck // it was committed, or has failed already
	moved, err := tx.ExecContext(ctx, `UPDATE place SET epoch = ?, idx = ? WHERE idx < ? OR idx = ? AND epoch < ?`, at.Epoch, at.Idx, at.Idx, at.Idx, at.Epoch)
	if err != nil {
		return fmt.Errorf("store the place %s: %w", at, err)
	}
	if n, err := moved.RowsAffected(); err != nil || n == 0 {
		return err
	}
	if err := rows(tx); err != nil {
		return fmt.Errorf("handle the event at %s: %w", at, err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("store the event at %s: %w", at, err)
	}
	return nil
}

// Forget deletes everything, because some of the events never happened.
func (s *Store) Forget(ctx context.Context) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("forget everything: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // it was committed, or has failed already
	if _, err := tx.ExecContext(ctx, `DELETE FROM requests; UPDATE place SET epoch = 0, idx = 0`); err != nil {
		return fmt.Errorf("forget everything: %w", err)
	}
	return tx.Commit()
}
