package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"frontdesk/adapters/durable"
	"frontdesk/domain/erasure"
)

// File is the ledger as a file of one JSON object a line. Lines are only added. Several
// processes may share it; a repeated line has no further effect.
type File struct{ Name string }

// Lines returns the lines of the ledger. A ledger that does not exist is empty. The process
// that wrote a partial line died during the write: it has confirmed that erasure to no
// caller, and the database knows whether it was done. Such a line is left out.
func (f File) Lines() ([]erasure.Line, error) {
	text, err := os.ReadFile(f.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the erasure ledger: %w", err)
	}
	var lines []erasure.Line
	for n, text := range bytes.Split(text, []byte("\n")) {
		if text = bytes.TrimSpace(text); !bytes.HasSuffix(text, []byte("}")) {
			continue
		}
		var line erasure.Line
		if err := json.Unmarshal(text, &line); err != nil || line.Holder == uuid.Nil {
			return nil, fmt.Errorf("line %d of the erasure ledger %s is damaged: take the ledger from its own backup", n+1, f.Name)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// Add adds lines, and returns once they are on the disk. Without lines it still creates the
// file: the serving process owns it then, and fails at its start if it cannot write it.
func (f File) Add(lines ...erasure.Line) (err error) {
	var text []byte
	if len(lines) > 0 {
		text = []byte("\n") // ends a partial line
	}
	for _, line := range lines {
		encoded, err := json.Marshal(line)
		if err != nil {
			return fmt.Errorf("write the erasure ledger: %w", err)
		}
		text = append(append(text, encoded...), '\n')
	}
	file, err := os.OpenFile(f.Name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the erasure ledger: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(text); err != nil {
		return fmt.Errorf("write the erasure ledger: %w", err)
	}
	if err := errors.Join(file.Sync(), durable.SyncDir(filepath.Dir(f.Name))); err != nil {
		return fmt.Errorf("write the erasure ledger: %w", err)
	}
	return nil
}
