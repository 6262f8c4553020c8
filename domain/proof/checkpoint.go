package proof

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/fault"
)

// Kind is the kind of a tree's leaves. The numbers are stored.
type Kind byte

// The kinds of tree. Each practice has one of each, and so have the global events and
// calls.
const (
	Events Kind = 1 // events of the log: [Leaf]
	Access Kind = 2 // lines of the access record: [AccessLeaf]
)

// String returns the name of a kind in exports and commands.
func (k Kind) String() string {
	switch k {
	case Events:
		return "events"
	case Access:
		return "access"
	}
	return "unknown"
}

// Tree names one of the trees.
type Tree struct {
	Tenant string // "" for global events and calls
	Kind   Kind
}

// Origin names a log to the readers of its checkpoints. It does not reveal the
// practice.
type Origin struct {
	Name  string // of the key that signs, such as the host of the API
	Log   uuid.UUID
	Epoch int
}

// String returns the origin as the first line of a checkpoint.
func (o Origin) String() string { return fmt.Sprintf("%s/log/%s/%d", o.Name, o.Log, o.Epoch) }

// Checkpoint is the content of a log's signature: a c2sp.org/tlog-checkpoint.
type Checkpoint struct {
	Origin Origin
	Size   int64
	Root   tlog.Hash
}

// String returns the signed text.
func (c Checkpoint) String() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, c.Root)
}

var errCheckpoint = fault.New(fault.Invalid, "invalid-checkpoint",
	"This is no checkpoint of a log: give a file that audit checkpoint has written, unchanged.")

// ParseCheckpoint parses the signed text. It accepts no extension lines.
func ParseCheckpoint(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[3] != "" {
		return Checkpoint{}, errCheckpoint
	}
	origin, ok := parseOrigin(lines[0])
	size, err := strconv.ParseInt(lines[1], 10, 64)
	root, rootErr := tlog.ParseHash(lines[2])
	c := Checkpoint{Origin: origin, Size: size, Root: root}
	if !ok || err != nil || rootErr != nil || size < 0 || c.String() != text {
		return Checkpoint{}, errCheckpoint
	}
	return c, nil
}

func parseOrigin(line string) (o Origin, ok bool) {
	rest, epoch, _ := cutLast(line, "/")
	name, log, ok := cutLast(rest, "/log/")
	id, err := uuid.Parse(log)
	n, epochErr := strconv.Atoi(epoch)
	return Origin{Name: name, Log: id, Epoch: n}, ok && name != "" && err == nil && epochErr == nil && n > 0
}

func cutLast(s, sep string) (before, after string, found bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}

// Sign returns the signed note of a checkpoint.
func (c Checkpoint) Sign(by note.Signer) ([]byte, error) {
	signed, err := note.Sign(&note.Note{Text: c.String()}, by)
	if err != nil {
		return nil, fmt.Errorf("sign a checkpoint: %w", err)
	}
	return signed, nil
}
