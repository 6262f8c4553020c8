package features_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/cucumber/godog"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

// attacks changes stored data, with the triggers switched off, and restores it when the
// scenario has ended.
func (w *world) attacks(statements *godog.DocString) error {
	conn, err := pgx.Connect(w.ctx, w.DB.SuperuserURL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(w.ctx) }()
	w.robbed = true
	w.proving.undo = func() error { return w.asSuperuser(putBack) }
	_, err = conn.Exec(w.ctx, putAside+w.filled(statements.Content))
	return err
}

const (
	putAside = `SET session_replication_role = replica;
		CREATE TABLE untouched_events AS SELECT * FROM events; CREATE TABLE untouched_log AS SELECT * FROM log;`
	putBack = `SET session_replication_role = replica; DELETE FROM events; DELETE FROM log;
		INSERT INTO events OVERRIDING SYSTEM VALUE SELECT * FROM untouched_events; INSERT INTO log SELECT * FROM untouched_log;
		UPDATE sequencer SET head = (SELECT max(idx) FROM log); DROP TABLE untouched_events, untouched_log`
)

func (w *world) findsAttack() error {
	status, err := w.audit(w.auditor(), "verify", "--key", w.logKey.Verifier, "--since", w.proving.kept)
	if err == nil && (status != 1 || !strings.Contains(w.shown, "DIFFERS")) {
		err = fmt.Errorf("exit status %d: %s", status, w.shown)
	}
	return err
}

// forks makes another history out of an export, as a holder of the key and the database
// can.
func (w *world) forks() error {
	made, err := os.ReadFile(w.export())
	if err != nil {
		return err
	}
	kept, err := os.ReadFile(w.proving.kept)
	if err != nil {
		return err
	}
	altered := bytes.Replace(made, []byte("000Z"), []byte("001Z"), 1)
	forged, err := proof.ParseNote(kept)
	if err != nil {
		return err
	}
	edge, err := edgeOf(altered)
	if err != nil {
		return err
	}
	forged.Size, forged.Root = edge.Size, edge.Root()
	signed, err := forged.Sign(w.logKey)
	if err != nil {
		return err
	}
	if w.proving.forged, err = w.file("forged.note", string(signed)); err != nil {
		return err
	}
	name, err := w.file("forged.ndjson", string(altered))
	w.proving.made = append(w.proving.made, name)
	return err
}

// edgeOf returns the tree of an export's lines.
func edgeOf(lines []byte) (edge proof.Edge, err error) {
	var parser export.Parser
	for line := range bytes.Lines(lines) {
		l, ok := parser.Parse(bytes.TrimSuffix(line, []byte("\n")))
		if !ok {
			return edge, fmt.Errorf("no line: %s", line)
		}
		edge.Append(l.Hash)
	}
	return edge, nil
}

func (w *world) isBelieved() error {
	return w.verifies("--in", w.export(), "--checkpoint", w.proving.forged)
}

func (w *world) isRefuted(told string) error {
	err := w.verifies("--in", w.export(), "--checkpoint", w.proving.forged, "--since", w.proving.kept)
	if err == nil || !strings.Contains(err.Error(), told) {
		return fmt.Errorf("told is %w", err)
	}
	return nil
}
