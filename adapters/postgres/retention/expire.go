package retention

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/audit"
	"frontdesk/domain/event"
)

// archive is a row of archives: a partition that was detached, or is about to be.
type archive struct {
	Name, Record string
	Since        *time.Time // nil: from the beginning
	Until        time.Time
	SHA256       *string // of its file, if that was written first
}

func archiveOf(rec record, p partition) archive {
	return archive{Name: p.Name, Record: rec.table, Since: timeOrNull(InstantOf(p.From)), Until: InstantOf(p.To)}
}

// ErrNoDir means that partitions are due for archiving, but no folder is given.
var ErrNoDir = errors.New("say with --archive in which folder archives are written")

// expire removes the partitions that are entirely old enough, oldest first. Those with
// proofs leave with them.
func (r *Retain) expire(ctx context.Context, rec record) error {
	existing, err := r.partitions(ctx, rec)
	if err != nil {
		return err
	}
	for _, p := range existing {
		if InstantOf(p.To).After(r.Keep.Before(r.Now())) {
			r.Say(fmt.Sprintf("%s: nothing else is older than %s", rec.table, r.Keep))
			return nil
		}
		away := r.detach
		if rec.table == AccessRecord {
			away = r.leave
		}
		if err := away(ctx, rec, p); err != nil {
			return fmt.Errorf("take out %s: %w", p.Name, err)
		}
		if err := r.finish(ctx); err != nil {
			return err
		}
	}
	return nil
}

// detach detaches a partition from its table, and records that it must be written. A
// later line for it goes to the default partition.
func (r *Retain) detach(ctx context.Context, rec record, p partition) error {
	if r.Dir == "" {
		return ErrNoDir
	}
	if err := r.change(ctx, func(tx pgx.Tx) error { return r.out(ctx, tx, rec, p, nil) }); err != nil {
		return err
	}
	return r.pass(detached)
}

func (r *Retain) out(ctx context.Context, tx pgx.Tx, rec record, p partition, sha256 *string) error {
	a := archiveOf(rec, p)
	_, err := tx.Exec(ctx, `INSERT INTO archives (name, record, since, until, detached_at, sha256) VALUES ($1, $2, $3, $4, $5, $6)`,
		a.Name, a.Record, a.Since, a.Until, r.Now(), sha256)
	if err != nil {
		return err
	}
	return execute(ctx, tx, fmt.Sprintf(`ALTER TABLE %s DETACH PARTITION %s`, rec.table, p.Name))
}

// finish writes the detached partitions, of this run or of one that was stopped.
func (r *Retain) finish(ctx context.Context) error {
	rows, _ := r.db().Query(ctx, `SELECT name, record, since, until, sha256 FROM archives WHERE archived_at IS NULL ORDER BY until, name`)
	waiting, err := pgx.CollectRows(rows, pgx.RowToStructByPos[archive])
	if err != nil {
		return fmt.Errorf("find detached partitions: %w", err)
	}
	if len(waiting) > 0 && r.Dir == "" {
		return fmt.Errorf("%s is detached and not written yet: %w", waiting[0].Name, ErrNoDir)
	}
	for _, a := range waiting {
		if err := r.move(ctx, a); err != nil {
			return fmt.Errorf("archive %s: %w", a.Name, err)
		}
	}
	return nil
}

// fileOf returns the file of a detached partition. It writes the file unless that was
// done before.
func (r *Retain) fileOf(ctx context.Context, a archive) (manifest, error) {
	if a.SHA256 != nil {
		return r.written(a)
	}
	return r.write(a, func(w *packer) error { return r.lines(ctx, a, w) })
}

// move appends the event that a detached partition is in its file, and drops it.
func (r *Retain) move(ctx context.Context, a archive) error {
	file, err := r.fileOf(ctx, a)
	if err != nil {
		return err
	}
	if err := r.log(ctx, a, file); err != nil {
		return err
	}
	if err := file.check(); err != nil {
		return err
	}
	err = r.change(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE archives SET archived_at = $2, lines = $3, sha256 = $4 WHERE name = $1`, a.Name, r.Now(), file.Lines, file.SHA256.String())
		if err != nil {
			return err
		}
		return execute(ctx, tx, `DROP TABLE `+a.Name)
	})
	if err != nil {
		return err
	}
	r.Say(fmt.Sprintf("%s: %s holds %d of its lines, all from before %s (SHA-256 %s); the database does not hold them any more",
		a.Record, file.path, file.Lines, a.Until.UTC().Format(time.DateOnly), file.SHA256))
	return r.pass(dropped)
}

// log appends the event, unless a run that was stopped has done it.
func (r *Retain) log(ctx context.Context, a archive, file manifest) error {
	entry := audit.Archived{Name: a.Name, Record: a.Record, To: a.Until.UTC(), Lines: file.Lines, SHA256: file.SHA256}
	if a.Since != nil {
		entry.From = a.Since.UTC()
	}
	before, err := r.Store.Load(ctx, audit.StreamOfArchive(a.Name))
	if err != nil {
		return err
	}
	if len(before) > 0 {
		if before[0] != event.Event(entry) {
			return fmt.Errorf("the log says that it was archived with SHA-256 %s, and the file has %s", before[0].(audit.Archived).SHA256, entry.SHA256)
		}
		return nil
	}
	if _, err := r.Store.Append(ctx, event.Change{Stream: audit.StreamOfArchive(a.Name), Events: []event.Event{entry}}); err != nil {
		return err
	}
	return r.pass(logged)
}

func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
