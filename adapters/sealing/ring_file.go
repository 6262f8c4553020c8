package sealing

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"frontdesk/adapters/durable"
)

// NewMasterKey returns 32 random bytes.
func NewMasterKey() (key MasterKey) {
	_, _ = rand.Read(key[:]) // never fails
	return key
}

// WriteRing writes a file of keys as a whole. A file that exists keeps its permissions and
// its owner; only its owner can read a new one.
func WriteRing(file string, keys []MasterKey) error {
	perm, next := fs.FileMode(0o600), file+".new"
	info, err := os.Stat(file)
	switch {
	case err == nil:
		perm = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("write the master keys: %w", err)
	}
	err = durable.Create(next, perm, func(w io.Writer) error {
		if _, err := fmt.Fprintln(w, "# Master keys of frontdesk: identifier and key. All decrypt; the database names the one that encrypts."); err != nil {
			return err
		}
		for _, key := range keys {
			if _, err := fmt.Fprintln(w, key.ID(), base64.StdEncoding.EncodeToString(key[:])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write the master keys: %w", err)
	}
	if info != nil && os.Geteuid() == 0 {
		if owner, known := info.Sys().(*syscall.Stat_t); known {
			err = os.Chown(next, int(owner.Uid), int(owner.Gid))
		}
	}
	if err == nil {
		err = durable.Rename(next, file)
	}
	if err != nil {
		_ = os.Remove(next)
		return fmt.Errorf("write the master keys: %w", err)
	}
	return nil
}
