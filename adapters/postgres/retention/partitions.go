package retention

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
)

// record is a partitioned table. Its lines are never changed.
type record struct {
	table string
	key   []string // the columns of its primary key; the first is a UUIDv7, by which it is partitioned
}

var records = []record{
	{AccessRecord, []string{"request_id"}},
	{Delivered, []string{"event", "application"}},
}

// fallback is the name of the default partition.
func (r record) fallback() string { return r.table + "_default" }

// partition holds the lines from one identifier up to another, exclusive.
type partition struct {
	Name     string
	From, To uuid.UUID
}

// InstantOf returns when a UUIDv7 was minted, and the zero instant for the lowest
// identifier of all.
func InstantOf(id uuid.UUID) time.Time {
	if id == uuid.Nil {
		return time.Time{}
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(id[:8]) >> 16)).UTC()
}

// below reports whether one identifier is below another, as Postgres compares them.
func below(a, b uuid.UUID) bool { return bytes.Compare(a[:], b[:]) < 0 }

func monthOf(at time.Time) time.Time {
	return time.Date(at.UTC().Year(), at.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
}

const partitionsOf = `
SELECT relname::text, substring(bounds FROM 'FROM \(''([^'']+)')::uuid, substring(bounds FROM 'TO \(''([^'']+)')::uuid
FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid CROSS JOIN LATERAL pg_get_expr(relpartbound, inhrelid) AS bounds
WHERE inhparent = to_regclass($1) AND bounds <> 'DEFAULT' ORDER BY 3`

// partitions returns those with bounds, oldest first.
func (r *Retain) partitions(ctx context.Context, rec record) ([]partition, error) {
	rows, _ := r.db().Query(ctx, partitionsOf, rec.table)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[partition])
	if err != nil {
		return nil, fmt.Errorf("list partitions: %w", err)
	}
	return found, nil
}

// monthsAhead is how many months after the present one have a partition, so that a run
// may fail for weeks.
const monthsAhead = 2

// ahead makes sure that this month and the next two have partitions with bounds, and
// that the default one is empty.
func (r *Retain) ahead(ctx context.Context, rec record) error {
	if err := r.bind(ctx, rec); err != nil {
		return err
	}
	existing, err := r.partitions(ctx, rec)
	if err != nil {
		return err
	}
	end := monthOf(r.Now()).AddDate(0, 1, 0)
	for range monthsAhead {
		month := end
		end = month.AddDate(0, 1, 0)
		if covers(existing, event.LowestID(month)) {
			continue
		}
		p := partition{rec.table + month.Format("_2006_01"), event.LowestID(month), event.LowestID(end)}
		if err := r.attach(ctx, rec, p); err != nil {
			return err
		}
		r.Say(fmt.Sprintf("%s: partition %s is there", rec.table, p.Name))
	}
	r.Say(fmt.Sprintf("%s: there are partitions up to %s", rec.table, end.Format(time.DateOnly)))
	return nil
}

func covers(all []partition, id uuid.UUID) bool {
	for _, p := range all {
		if !below(id, p.From) && below(id, p.To) {
			return true
		}
	}
	return false
}

func (r *Retain) attach(ctx context.Context, rec record, p partition) error {
	err := r.change(ctx, func(tx pgx.Tx) error {
		return execute(ctx, tx, append(rec.making(p.Name), rec.attaching(p))...)
	})
	if err != nil {
		return fmt.Errorf("make %s: %w", p.Name, err)
	}
	return r.pass(attached)
}

// making returns the statements that create a partition's table. They repeat the
// properties that partitions do not inherit.
func (r record) making(name string) []string {
	return []string{
		fmt.Sprintf(`CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
			WITH (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02)`, name, r.table),
		fmt.Sprintf(`CREATE TRIGGER %s_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`, r.table, name),
	}
}

func (r record) attaching(p partition) string {
	return fmt.Sprintf(`ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')`, r.table, p.Name, p.From, p.To)
}
