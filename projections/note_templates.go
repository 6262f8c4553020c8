package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

// NoteTemplates keeps the note templates of each practice.
type NoteTemplates struct{ DB Querier }

// NoteTemplate is a short text that staff insert into notes.
type NoteTemplate struct{ Name, Text string }

// Name returns the permanent name.
func (NoteTemplates) Name() string { return "note-templates.v1" }

// Project keeps a row for each template.
func (NoteTemplates) Project(r event.Recorded, do func(sql string, args ...any)) {
	switch e := r.Event.(type) {
	case practice.NoteTemplateSet:
		do(`INSERT INTO note_templates (tenant, name, text) VALUES ($1, $2, $3)
			ON CONFLICT (tenant, name) DO UPDATE SET text = excluded.text`, r.Stream.Tenant, e.Name, e.Text)
	case practice.NoteTemplateRemoved:
		do(`DELETE FROM note_templates WHERE tenant = $1 AND name = $2`, r.Stream.Tenant, e.Name)
	}
}

// List lists the templates of a practice by name. The practice can have 40.
func (n NoteTemplates) List(ctx context.Context, tenant string) ([]NoteTemplate, error) {
	rows, _ := n.DB.Query(ctx, `SELECT name, text FROM note_templates WHERE tenant = $1 ORDER BY name LIMIT $2`, tenant, practice.MaxNoteTemplates)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[NoteTemplate])
	if err != nil {
		return nil, fmt.Errorf("list note templates: %w", err)
	}
	return found, nil
}
