package retention

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

// pieces writes the piece of each tree. It has archived lines in full, and other lines up to
// the next checkpoint without their texts: so their time shows that they stay. Of lines that
// an earlier archive has, the hash is left (D138).
func (r *Retain) pieces(ctx context.Context, l *leaving, w *packer) error {
	for _, tree := range l.order() {
		checkpoints, err := r.checkpoints(ctx, tree)
		if err != nil {
			return err
		}
		m := mover{leaving: l, w: w, db: r.db(), edge: l.trees[tree], last: l.last[tree], checkpoints: checkpoints}
		p := export.Piece{Tenant: tree, From: m.edge.Size, Edge: m.edge.Bytes()}
		if err := m.move(ctx, tree); err != nil {
			return err
		}
		if m.note == "" && !r.Unproved {
			return unproved(tree)
		}
		p.Size, p.Root, p.Note = m.edge.Size, m.edge.Root(), m.note
		w.pieces = append(w.pieces, p)
	}
	return nil
}

// unproved refuses to archive lines without a checkpoint.
func unproved(tree string) error {
	whose := "practice " + tree
	if tree == "" {
		whose = "no practice"
	}
	return fault.New(fault.Conflict, "not-signed-yet", fmt.Sprintf("No signed checkpoint covers lines of %s yet, so no one could show that the archive is complete. "+
		"Let frontdesk sign run, or archive them with --without-proof.", whose))
}

// signed is a signed checkpoint.
type signed struct {
	Size int64
	Note string
}

// checkpoints returns those of a tree, smallest first.
func (r *Retain) checkpoints(ctx context.Context, tree string) ([]signed, error) {
	rows, _ := r.db().Query(ctx, `SELECT size, note FROM checkpoints WHERE tenant = $1 AND kind = $2 ORDER BY size, epoch, day`, tree, proof.Access)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[signed])
	if err != nil {
		return nil, fmt.Errorf("read checkpoints: %w", err)
	}
	return found, nil
}

// signs reports whether the checkpoint is of the tree. One from before the end of the
// log was lost is not of the current tree.
func (s signed) signs(edge proof.Edge) bool {
	c, err := proof.ParseNote([]byte(s.Note))
	return err == nil && c.Size == edge.Size && c.Root == edge.Root()
}

// mover goes through the lines of a tree.
type mover struct {
	*leaving
	w           *packer
	db          postgres.DB
	edge        proof.Edge // of the leaves before the next line
	last        int64      // the highest number of an archived line
	checkpoints []signed   // that may cover the archived lines, unless smaller than the edge
	note        string     // of the covering one
	idx         []int64    // of archived lines while earlier ones stay
	hashes      [][]byte   // of their leaves
}

// move advances to the last archived line, and from there to the checkpoint.
func (m *mover) move(ctx context.Context, tree string) error {
	record := accesslog.Record{DB: m.db, Page: linesAtOnce}
	for row, err := range record.EachOf(ctx, tree, m.archived) {
		if err != nil {
			return err
		}
		if row.Leaf.Idx > m.last && m.covered() {
			break
		}
		if err := m.take(row); err != nil {
			return err
		}
		if len(m.idx) == linesAtOnce {
			if err := m.remember(ctx); err != nil {
				return err
			}
		}
	}
	m.covered()
	return m.remember(ctx)
}

// covered reports whether all archived lines are in a signed tree, or no existing
// checkpoint can cover them.
func (m *mover) covered() bool {
	for m.note == "" && len(m.checkpoints) > 0 && m.checkpoints[0].Size <= m.edge.Size {
		if m.checkpoints[0].signs(m.edge) {
			m.note = m.checkpoints[0].Note
		}
		m.checkpoints = m.checkpoints[1:]
	}
	return m.note != "" || len(m.checkpoints) == 0
}

// take writes an archived line, a line that stays without its texts, or the hash of a line
// that an earlier archive has.
func (m *mover) take(row accesslog.Row) error {
	id, hash, n := row.Leaf.RequestID, row.Hash(), m.edge.Size
	m.edge.Append(hash)
	leaves := id != uuid.Nil && !below(id, m.From) && below(id, m.To)
	if row.Leaf.Idx <= m.kept {
		m.trees[row.Tree] = m.edge
	} else if leaves {
		m.idx, m.hashes = append(m.idx, row.Leaf.Idx), append(m.hashes, hash[:])
	}
	switch {
	case row.Archived != nil:
		return m.w.hash(export.HashLine{N: n, Leaf: hash})
	case !leaves:
		return m.w.staying(export.AccessLine{N: n, Leaf: row.Leaf})
	}
	line := export.AccessLine{N: n, Leaf: row.Leaf, Reason: []byte(row.Reason), Sealed: row.Sealed}
	if row.Act != nil {
		line.Act = []byte(*row.Act)
	}
	return m.w.line(line)
}

// remember stores the hashes of archived lines in their places. They are used once the
// lines are gone.
func (m *mover) remember(ctx context.Context) error {
	if len(m.idx) == 0 {
		return nil
	}
	_, err := m.db.Exec(ctx, `UPDATE access_log l SET leaf = n.hash FROM unnest($1::bigint[], $2::bytea[]) AS n (idx, hash) WHERE l.idx = n.idx`, m.idx, m.hashes)
	if err != nil {
		return fmt.Errorf("remember leaves: %w", err)
	}
	m.idx, m.hashes = m.idx[:0], m.hashes[:0]
	return nil
}
