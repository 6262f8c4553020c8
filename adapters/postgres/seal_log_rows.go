package postgres

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/request"
)

// sealPage is how many positions one transaction goes through.
const sealPage = 1000

// placed is a stored event with its position.
type placed struct {
	event.Stored
	position int64
}

const pageOfEvents = `
SELECT position, id, tenant, stream, version, name, data, metadata, recorded_at, sealed
FROM events WHERE position > $1 ORDER BY position LIMIT $2`

func (s *SealLog) page(ctx context.Context, after int64) ([]placed, error) {
	rows, _ := s.Pool.Query(ctx, pageOfEvents, after, sealPage)
	page, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e placed, err error) {
		err = row.Scan(&e.position, &e.ID, &e.Stream.Tenant, &e.Stream.ID, &e.Version, &e.Name, &e.Data, &e.Metadata, &e.At, &e.Sealed)
		e.At = e.At.UTC()
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("read events after position %d: %w", after, err)
	}
	return page, nil
}

// move seals the events that are in clear, page by page. Whoever mints a key of somebody
// at the same moment may be faster; then the page is sealed once more, with that key.
func (s *SealLog) move(ctx context.Context, is sealingState) error {
	var last int64
	if err := s.Pool.QueryRow(ctx, `SELECT coalesce(max(position), 0) FROM events`).Scan(&last); err != nil {
		return fmt.Errorf("ask how many events there are: %w", err)
	}
	for reached := is.reached; reached < last; {
		page, err := s.page(ctx, reached)
		if err != nil || len(page) == 0 {
			return err
		}
		err = s.seal(ctx, page)
		if errors.Is(err, event.ErrConflict) {
			continue
		}
		if err != nil {
			return err
		}
		reached = page[len(page)-1].position
		if s.Progress != nil {
			s.Progress(reached, last)
		}
	}
	return nil
}

// seal seals a page in one transaction, which also notes how far that was.
func (s *SealLog) seal(ctx context.Context, page []placed) error {
	inClear, recorded, err := s.inClear(page)
	if err != nil {
		return err
	}
	parts, err := s.Keys.split(s.Keys.Codec, recorded)
	if err != nil {
		return err
	}
	for n := range parts {
		if err := s.same(parts[n], recorded[n]); err != nil {
			return err
		}
	}
	made, err := s.Keys.seal(ctx, parts)
	if err != nil {
		return fmt.Errorf("seal events up to position %d: %w", page[len(page)-1].position, err)
	}
	keys, err := s.Keys.wrap(made, parts)
	if err != nil {
		return err
	}
	batch := durably(nil)
	if len(keys) > 0 {
		columns := keyColumns(keys)
		batch.Queue(insertKeys, columns...)
		batch.Queue(moveKeys, columns[0], columns[2], event.OfRequest, request.ReLinked{}.EventName())
	}
	positions, data, metadata, boxes := columnsOf(inClear, parts)
	batch.Queue(`UPDATE sealing SET reached = $1, moved = moved + seal_events($2, $3, $4, $5)`,
		page[len(page)-1].position, positions, data, metadata, boxes)
	if err := On(s.Pool).ExecBatch(ctx, batch); err != nil {
		return fmt.Errorf("seal events up to position %d: %w", page[len(page)-1].position, err)
	}
	s.Keys.keep(made)
	return nil
}

// moveKeys gives the keys of requests that were linked to others, while they were in clear,
// to the patients to whom they are linked now.
const moveKeys = `
UPDATE personal_keys k SET patient = m.patient
FROM unnest($1::text[], $2::uuid[]) w (tenant, holder)
CROSS JOIN LATERAL (SELECT patient FROM events WHERE stream = w.holder AND tenant = w.tenant AND name = $4 ORDER BY version DESC LIMIT 1) m
WHERE k.tenant = w.tenant AND k.kind = $3 AND k.holder = w.holder`

// inClear returns the events of a page that have no boxes, as they stand and as the
// program knows them.
func (s *SealLog) inClear(page []placed) (stored []placed, recorded []event.Recorded, err error) {
	for _, e := range page {
		if e.Sealed != nil {
			continue
		}
		r, err := s.Keys.Codec.Join(e.Stored, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("position %d: %w", e.position, err)
		}
		stored, recorded = append(stored, e), append(recorded, r)
	}
	return stored, recorded, nil
}

var errNotTheSame = errors.New("an event would read differently once it is sealed, so nothing was changed")

// same makes sure that an event reads as before once its values are put back.
func (s *SealLog) same(part split, was event.Recorded) error {
	is, err := s.Keys.Codec.Join(part.Stored, part.personal)
	if err == nil && !reflect.DeepEqual(is, was) {
		err = errNotTheSame
	}
	if err != nil {
		return fmt.Errorf("event %s: %w", was.ID, err)
	}
	return nil
}

// columnsOf returns what changes, as the arguments of seal_events.
func columnsOf(stored []placed, parts []split) (positions []int64, data, metadata []string, boxes [][]byte) {
	for n, p := range parts {
		if p.Sealed == nil {
			continue
		}
		positions, boxes = append(positions, stored[n].position), append(boxes, p.Sealed)
		data, metadata = append(data, string(p.Data)), append(metadata, string(p.Metadata))
	}
	return positions, data, metadata, boxes
}

// forgetPage empties the columns that held names, and returns the last patient of a page.
const forgetPage = `
WITH page AS MATERIALIZED (
	SELECT tenant, patient FROM patients WHERE (tenant, patient) > ($1, $2) ORDER BY tenant, patient LIMIT $3),
emptied AS (
	UPDATE patients p SET name = '', birth_date = '' FROM page
	WHERE p.tenant = page.tenant AND p.patient = page.patient AND (p.name <> '' OR p.birth_date <> ''))
SELECT tenant, patient FROM page ORDER BY tenant DESC, patient DESC LIMIT 1`

// forget empties what read models had of names in clear.
func (s *SealLog) forget(ctx context.Context, _ sealingState) error {
	var there bool
	err := s.Pool.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'patients'::regclass AND attname = 'name' AND NOT attisdropped)`).Scan(&there)
	tenant, patient := "", "00000000-0000-0000-0000-000000000000"
	for there && err == nil {
		err = s.Pool.QueryRow(ctx, forgetPage, tenant, patient, sealPage).Scan(&tenant, &patient)
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("empty the names of patients: %w", err)
	}
	return nil
}

// noCopies refuses to go on while audits keep read models of before, which hold names in
// clear. Whoever keeps them drops them.
func (s *SealLog) noCopies(ctx context.Context, _ sealingState) error {
	rows, _ := s.Pool.Query(ctx, `
		SELECT format('DROP SCHEMA %I CASCADE', nspname) FROM pg_namespace n
		JOIN pg_class notes ON notes.relnamespace = n.oid AND notes.relname = 'progress'
		JOIN pg_class p ON p.relnamespace = n.oid AND p.relname = 'patients'
		JOIN pg_attribute a ON a.attrelid = p.oid AND attname = 'name' AND NOT attisdropped
		WHERE nspname NOT LIKE 'pg\_%' ORDER BY nspname`)
	drops, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look for read models that are kept: %w", err)
	}
	if len(drops) > 0 {
		return fmt.Errorf("%w: %s", errCopies, strings.Join(drops, "; "))
	}
	return nil
}

var errCopies = errors.New("read models that audit rebuild or audit replay --keep has left hold names in clear: drop them, then run this again")

// check goes through all events once more. If one is in clear, the next run begins anew.
func (s *SealLog) check(ctx context.Context, _ sealingState) error {
	for reached := int64(0); ; {
		page, err := s.page(ctx, reached)
		if err != nil || len(page) == 0 {
			return err
		}
		_, recorded, err := s.inClear(page)
		if err != nil {
			return err
		}
		parts, err := s.Keys.split(s.Keys.Codec, recorded)
		if err != nil {
			return err
		}
		for _, p := range parts {
			if p.personal != nil {
				_, err := s.Pool.Exec(ctx, `UPDATE sealing SET reached = 0`)
				return errors.Join(fmt.Errorf("event %s: %w", p.ID, errStillClear), err)
			}
		}
		reached = page[len(page)-1].position
	}
}
