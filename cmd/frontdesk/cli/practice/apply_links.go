package practice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"frontdesk/adapters/staffweb/account"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
)

// linkFile is where links of people go, one JSON object a line. Lines are only ever added:
// the last one of a person counts.
type linkFile struct {
	mu   sync.Mutex
	file *os.File // nil if no one is to be invited
	base string   // of an address
}

var (
	errLinksNotKept = errors.New("--links is a file: a link cannot be shown again, so it must not get lost in a pipe or on a screen")
	errLinksOther   = errors.New("the file of --links ends with something that is no link: name another")
	errLinksOpen    = errors.New("anyone who reads the file of --links can open accounts, and other users may read it: chmod 600 it, or name another file")
)

// openLinks opens the file, which only its owner may read. A dry run invites no one.
func (c *ApplyCmd) openLinks(r *term.Run) (*linkFile, error) {
	base, err := c.base()
	if err != nil || c.Links == "" || c.DryRun {
		return &linkFile{}, err
	}
	place, err := r.Output(c.Links)
	if err != nil {
		return nil, err
	}
	if !place.Whole {
		return nil, errLinksNotKept
	}
	file, err := os.OpenFile(place.Name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", place.Name, term.Cause(err))
	}
	if info, err := file.Stat(); err != nil || info.Mode().Perm()&0o077 != 0 {
		return nil, errors.Join(err, errLinksOpen, file.Close())
	}
	if err := endLast(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &linkFile{file: file, base: base}, nil
}

// endLast makes the next line begin a line. It cuts off the part of a line that a killed run
// has left: the link in it was never valid. A whole link without the end of its line, such
// as one from an editor, is kept.
func endLast(file *os.File) error {
	text, err := io.ReadAll(file)
	if err != nil {
		return fmt.Errorf("read the file of --links: %w", term.Cause(err))
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	torn, ours := text[whole:], []byte(`{"tenantId":`)
	if len(torn) == 0 {
		return nil
	}
	if json.Valid(torn) && bytes.HasPrefix(torn, ours) {
		_, err := file.WriteString("\n")
		return err
	}
	if !bytes.HasPrefix(torn, ours) && !bytes.HasPrefix(ours, torn) {
		return errLinksOther
	}
	return file.Truncate(int64(whole))
}

// givenLink is a line of the file.
type givenLink struct {
	Tenant    string    `json:"tenantId"`
	Username  string    `json:"username"`
	Link      string    `json:"link"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// hand writes links down before they are good for anything, and has the disk keep them.
// Several may do so at once; one write is one line or more, whole.
func (l *linkFile) hand(tenant string, invited []commands.Invitation) error {
	var lines []byte
	for _, i := range invited {
		line, err := json.Marshal(givenLink{tenant, i.Username, l.base + account.LinkPath(tenant, i.Secret), i.ExpiresAt})
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	l.mu.Lock()
	_, err := l.file.Write(lines)
	l.mu.Unlock()
	if err = errors.Join(err, l.file.Sync()); err != nil {
		return fmt.Errorf("write down links: %w", term.Cause(err))
	}
	return nil
}

func (l *linkFile) close() {
	if l.file != nil {
		_ = l.file.Close() // each line is on the disk
	}
}
