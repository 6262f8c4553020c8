package retention

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
)

// briefScan is how many bytes of a table Postgres may scan while calls wait for a lock
// on it: a few milliseconds' worth.
const briefScan = 8 << 20

// bind turns the default partition into one with bounds, if it has lines or receives
// those of this month, and replaces it by an empty one. It has lines from before
// partitioning, of months without a run, and lines that came after their month was
// detached.
func (r *Retain) bind(ctx context.Context, rec record) error {
	existing, err := r.partitions(ctx, rec)
	if err != nil {
		return err
	}
	now := event.LowestID(r.Now())
	lowest, highest, err := r.ends(ctx, rec)
	switch {
	case err != nil, highest == uuid.Nil && covers(existing, now):
		return err
	case highest == uuid.Nil:
		lowest, highest = now, now
	}
	p, err := r.between(ctx, rec, existing, lowest, highest)
	if err != nil {
		return err
	}
	if err := r.prepare(ctx, rec, p); err != nil {
		return fmt.Errorf("give %s bounds: %w", rec.fallback(), err)
	}
	if err := r.exchange(ctx, rec, p); err != nil {
		return fmt.Errorf("exchange %s: %w", rec.fallback(), err)
	}
	r.Say(fmt.Sprintf("%s: what had no partition of its own is in %s", rec.table, p.Name))
	return r.pass(attached)
}

// ends returns the lowest and the highest identifier of the default partition; zero if
// it is empty.
func (r *Retain) ends(ctx context.Context, rec record) (lowest, highest uuid.UUID, err error) {
	const ends = `SELECT lowest.%[1]s, (SELECT %[1]s FROM %[2]s ORDER BY %[1]s DESC LIMIT 1) FROM %[2]s lowest ORDER BY lowest.%[1]s LIMIT 1`
	err = r.db().QueryRow(ctx, fmt.Sprintf(ends, rec.key[0], rec.fallback())).Scan(&lowest, &highest)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, uuid.Nil, nil
	}
	if err != nil {
		return uuid.Nil, uuid.Nil, fmt.Errorf("look into %s: %w", rec.fallback(), err)
	}
	return lowest, highest, nil
}

// between returns the partition that the default one becomes. It goes from the end of
// the last partition before its lines to the beginning of the first one after them, or
// to the end of the next month: until then, no line comes that its bounds would refuse.
func (r *Retain) between(ctx context.Context, rec record, existing []partition, lowest, highest uuid.UUID) (p partition, err error) {
	for _, other := range existing {
		switch {
		case !below(lowest, other.To):
			p.From = other.To
		case below(highest, other.From):
			if p.To == uuid.Nil {
				p.To = other.From
			}
		default:
			return p, strayed(rec, lowest, highest)
		}
	}
	if soon := event.LowestID(monthOf(r.Now()).AddDate(0, 2, 0)); p.To == uuid.Nil || below(highest, soon) && below(soon, p.To) {
		p.To = soon
	}
	if !below(highest, p.To) {
		return p, strayed(rec, lowest, highest)
	}
	p.Name, err = r.unused(ctx, rec.table+InstantOf(p.To).Format("_until_2006_01"))
	return p, err
}

func strayed(rec record, lowest, highest uuid.UUID) error {
	return fmt.Errorf("%s has lines from %s to %s, between and beyond those of other partitions: a clock was wrong (docs/privacy/archives.md says what to do)",
		rec.fallback(), InstantOf(lowest).Format(time.RFC3339), InstantOf(highest).Format(time.RFC3339))
}

// unused returns a name that no table has, and no archive.
func (r *Retain) unused(ctx context.Context, name string) (unused string, err error) {
	err = r.db().QueryRow(ctx, `
		SELECT min(candidate) FROM (SELECT $1 || CASE WHEN n > 1 THEN '_' || n ELSE '' END AS candidate FROM generate_series(1, 9999) n) c
		WHERE to_regclass(candidate) IS NULL AND NOT EXISTS (SELECT FROM archives WHERE archives.name = candidate)`, name).Scan(&unused)
	if err != nil {
		return "", fmt.Errorf("find a name like %s: %w", name, err)
	}
	return unused, nil
}

// prepare spares Postgres from scanning a large table under a lock: a constraint equal
// to the future bounds is validated while calls continue. If that fails, the constraint
// is dropped.
func (r *Retain) prepare(ctx context.Context, rec record, p partition) error {
	var size int64
	err := r.db().QueryRow(ctx, `SELECT pg_relation_size(to_regclass($1))`, rec.fallback()).Scan(&size)
	if err != nil || size <= cmp.Or(r.scanned, briefScan) {
		return err
	}
	err = r.change(ctx, func(tx pgx.Tx) error {
		return execute(ctx, tx, unbind(rec.fallback()),
			fmt.Sprintf(`ALTER TABLE %s ADD CONSTRAINT retain_bounds CHECK (%s >= '%s' AND %[2]s < '%[4]s') NOT VALID`, rec.fallback(), rec.key[0], p.From, p.To))
	})
	if err != nil {
		return err
	}
	if err := r.pass(bounded); err != nil {
		return err
	}
	if _, err = r.db().Exec(ctx, `ALTER TABLE `+rec.fallback()+` VALIDATE CONSTRAINT retain_bounds`); err != nil {
		ctx = context.WithoutCancel(ctx) // a cancelled run leaves no constraint
		return errors.Join(err, r.change(ctx, func(tx pgx.Tx) error { return execute(ctx, tx, unbind(rec.fallback())) }))
	}
	return nil
}

func unbind(table string) string {
	return `ALTER TABLE ` + table + ` DROP CONSTRAINT IF EXISTS retain_bounds`
}

func (r *Retain) exchange(ctx context.Context, rec record, p partition) error {
	return r.change(ctx, func(tx pgx.Tx) error {
		statements := []string{
			fmt.Sprintf(`ALTER TABLE %s DETACH PARTITION %s`, rec.table, rec.fallback()),
			fmt.Sprintf(`ALTER TABLE %s RENAME TO %s`, rec.fallback(), p.Name),
			rec.attaching(p), unbind(p.Name),
		}
		statements = append(statements, rec.making(rec.fallback())...)
		return execute(ctx, tx, append(statements, fmt.Sprintf(`ALTER TABLE %s ATTACH PARTITION %s DEFAULT`, rec.table, rec.fallback()))...)
	})
}
