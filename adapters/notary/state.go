package notary

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"frontdesk/domain/proof"
)

// State is the folder in which a signer remembers what it has signed. One process at a
// time has it.
type State struct {
	dir  string
	lock *os.File
}

// memory is what the state's file holds: its SHA-256 in a line, then this as JSON.
type memory struct {
	Key      string                   `json:"key"`      // the verifier key
	Verified time.Time                `json:"verified"` // when all leaves were read last
	Logs     map[proof.Kind]*progress `json:"logs"`
}

const (
	stateFile = "state"
	lockFile  = "lock"
)

// OpenState takes a folder, which it makes if it is not there, until the state is closed
// or the process ends.
func OpenState(dir string) (*State, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the signer's folder: %w", err)
	}
	name := filepath.Join(dir, lockFile)
	lock, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the signer's folder: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, _ := os.ReadFile(name)
		return nil, errors.Join(fmt.Errorf("%s is used by another signer (process %s): stop that one, or give each a folder of its own",
			dir, strings.TrimSpace(string(holder))), lock.Close())
	}
	pid := strconv.AppendInt(nil, int64(os.Getpid()), 10)
	_, err = lock.WriteAt(append(pid, '\n'), 0)
	if err := errors.Join(lock.Truncate(int64(len(pid))+1), err); err != nil {
		return nil, errors.Join(fmt.Errorf("take the signer's folder: %w", err), lock.Close())
	}
	return &State{dir: dir, lock: lock}, nil
}

// Close lets another process have the folder.
func (s *State) Close() error {
	return errors.Join(syscall.Flock(int(s.lock.Fd()), syscall.LOCK_UN), s.lock.Close())
}

// load returns what is remembered, and nil if nothing is.
func (s *State) load() (*memory, error) {
	text, err := os.ReadFile(filepath.Join(s.dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the signer's state: %w", err)
	}
	sum, rest, _ := bytes.Cut(text, []byte("\n"))
	var m memory
	if want := sha256.Sum256(rest); hex.EncodeToString(want[:]) != string(sum) || json.Unmarshal(rest, &m) != nil || !m.whole() {
		return nil, fmt.Errorf("the signer's state in %s is damaged: put its newest backup in its place", s.dir)
	}
	return &m, nil
}

// whole reports whether each edge has the roots that its size asks for.
func (m *memory) whole() bool {
	for _, p := range m.Logs {
		if _, err := proof.ParseEdge(p.Whole.Size, p.Whole.Bytes()); err != nil || p.Trees == nil {
			return false
		}
		for _, t := range p.Trees {
			if _, err := proof.ParseEdge(t.Edge.Size, t.Edge.Bytes()); err != nil {
				return false
			}
		}
	}
	return true
}

// save puts a memory in the place of the one before. When it returns, the new one is on
// the disk; after a failure either may be.
func (s *State) save(m memory) error {
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("save the signer's state: %w", err)
	}
	sum := sha256.Sum256(text)
	return s.replace(stateFile, append(append([]byte(hex.EncodeToString(sum[:])), '\n'), text...))
}

// keep keeps the state as it is on the disk under another name.
func (s *State) keep(name string) error {
	text, err := os.ReadFile(filepath.Join(s.dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("keep the signer's state: %w", err)
	}
	return s.replace(name, text)
}

func (s *State) replace(name string, text []byte) error {
	next := filepath.Join(s.dir, name+".next") // nobody else writes here
	file, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("save the signer's state: %w", err)
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("save the signer's state: %w", err)
	}
	if err := errors.Join(os.Rename(next, filepath.Join(s.dir, name)), syncFolder(s.dir)); err != nil {
		return fmt.Errorf("save the signer's state: %w", err)
	}
	return nil
}

// syncFolder makes sure that a new name is found after a power failure.
func syncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
