package notary

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/proof"
)

// memory is the content of the state file: its SHA-256 in a line, then this as JSON.
type memory struct {
	Form     int                      `json:"form"`     // of this struct
	Key      string                   `json:"key"`      // the verifier key
	Log      uuid.UUID                `json:"log"`      // of the events of no practice: it tells the salt
	Verified time.Time                `json:"verified"` // when all leaves were last read
	Logs     map[proof.Kind]*progress `json:"logs"`

	// The last epoch that has lost an end and that no operator has looked at; 0 if none.
	Unacknowledged int `json:"unacknowledged,omitempty"`
}

const (
	stateName = "state"
	form      = 2
)

// load returns the stored state; nil if absent.
func load(dir Dir) (*memory, error) {
	text, err := dir.Read(stateName)
	if err != nil || text == nil {
		return nil, err
	}
	sum, rest, _ := bytes.Cut(text, []byte("\n"))
	var m memory
	if want := sha256.Sum256(rest); hex.EncodeToString(want[:]) != string(sum) || json.Unmarshal(rest, &m) != nil || !m.whole() {
		return nil, errDamaged
	}
	if m.Form != form {
		return nil, errOldState
	}
	return &m, nil
}

var (
	errDamaged  = errors.New("the signer's state is damaged: put its newest backup in its place")
	errOldState = errors.New("the signer's state is of an earlier form, whose logs had other names: sign with a new key and an empty folder, and hand out its verifier key")
)

// whole reports whether each edge has the number of roots for its size.
func (m *memory) whole() bool {
	for _, p := range m.Logs {
		for _, edge := range []proof.Edge{p.Whole, p.Before} {
			if _, err := proof.ParseEdge(edge.Size, edge.Bytes()); err != nil || p.Trees == nil {
				return false
			}
		}
		for _, t := range p.Trees {
			if _, err := proof.ParseEdge(t.Edge.Size, t.Edge.Bytes()); err != nil {
				return false
			}
		}
	}
	return true
}

// save replaces the stored state.
func (m *memory) save(dir Dir) error {
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write the signer's state: %w", err)
	}
	sum := sha256.Sum256(text)
	return dir.Write(stateName, append(append([]byte(hex.EncodeToString(sum[:])), '\n'), text...))
}

// keep copies the saved state under another name.
func keep(dir Dir, name string) error {
	text, err := dir.Read(stateName)
	if err != nil || text == nil {
		return err
	}
	return dir.Write(name, text)
}
