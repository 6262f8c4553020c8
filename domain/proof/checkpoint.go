package proof

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
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

// Salt belongs to a service, and never changes. With it, the identifier of a log is a
// function of the practice, so a practice has one log of each kind. Auditors have the
// salt. Without it, no one can guess the practice of a log.
type Salt [16]byte

// Log returns the identifier of a tree's log: the first 16 bytes of SHA-256 over the
// salt, the kind in one byte and the practice.
func (s Salt) Log(of Tree) uuid.UUID {
	sum := sha256.Sum256(append(append(s[:], byte(of.Kind)), of.Tenant...))
	return uuid.UUID(sum[:16])
}

// String returns the salt as 32 hexadecimal digits.
func (s Salt) String() string { return hex.EncodeToString(s[:]) }

var errSalt = fault.New(fault.Invalid, "invalid-salt", "This is no salt of a service's logs: give the 32 digits that key show-salt prints.")

// ParseSalt parses the result of [Salt.String].
func ParseSalt(text string) (s Salt, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(s) || strings.ToLower(text) != text {
		return s, errSalt
	}
	return Salt(b), nil
}

// NewSalt returns a random salt.
func NewSalt(random io.Reader) (s Salt, err error) {
	if _, err = io.ReadFull(random, s[:]); err != nil {
		return s, fmt.Errorf("make a salt: %w", err)
	}
	return s, nil
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
	Left   Epochs // the earlier epochs, in extension lines; none in the first one
}

// String returns the signed text.
func (c Checkpoint) String() string {
	return fmt.Sprintf("%s\n%d\n%s\n%s", c.Origin, c.Size, c.Root, c.Left)
}

// Left is the part of an earlier epoch that a log has kept: the first leaves of both are
// the same. Leaves of that epoch behind them were lost with its end.
type Left struct {
	Epoch int
	Size  int64
	Root  tlog.Hash // of the kept leaves
}

// Epochs is the extension lines of a checkpoint, which name the earlier epochs:
//
//	left <epoch> <size> <root>
//
// There is a line for each, in their order, of the last [MostEpochs].
type Epochs string

// MostEpochs is how many earlier epochs a checkpoint names.
const MostEpochs = 16

// EpochsOf returns the lines of epochs.
func EpochsOf(all []Left) Epochs {
	var lines strings.Builder
	for _, l := range all[max(0, len(all)-MostEpochs):] {
		fmt.Fprintf(&lines, "left %d %d %s\n", l.Epoch, l.Size, l.Root)
	}
	return Epochs(lines.String())
}

// All returns the epochs, the last one at the end. It is nil if the lines have another
// form.
func (e Epochs) All() (all []Left) {
	for line := range strings.Lines(string(e)) {
		var l Left
		words := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		if len(words) != 4 {
			return nil
		}
		epoch, epochErr := strconv.Atoi(words[1])
		size, sizeErr := strconv.ParseInt(words[2], 10, 64)
		root, rootErr := tlog.ParseHash(words[3])
		l = Left{epoch, size, root}
		if epochErr != nil || sizeErr != nil || rootErr != nil {
			return nil
		}
		all = append(all, l)
	}
	return all
}

// Of returns the line of an epoch, and whether there is one.
func (e Epochs) Of(epoch int) (l Left, found bool) {
	for _, l := range e.All() {
		if l.Epoch == epoch {
			return l, true
		}
	}
	return l, false
}

// fit reports whether the lines are those of a checkpoint.
func (e Epochs) fit(c Checkpoint) bool {
	all := e.All()
	if EpochsOf(all) != e || len(all) > MostEpochs || (len(all) == 0) != (c.Origin.Epoch == 1) {
		return false
	}
	last := Left{}
	for _, l := range all {
		if l.Epoch <= last.Epoch || l.Epoch >= c.Origin.Epoch || l.Size < last.Size || l.Size > c.Size || l.Size == 0 && l.Root != (Edge{}).Root() {
			return false
		}
		last = l
	}
	return true
}

var errCheckpoint = fault.New(fault.Invalid, "invalid-checkpoint",
	"This is no checkpoint of a log: give a file that audit checkpoint has written, unchanged.")

var errOldCheckpoint = errCheckpoint.With("This checkpoint is of an earlier form: it does not name the epochs before its own. Ask for a newer one.")

// ParseCheckpoint parses the signed text. It accepts no extension lines but those of
// [Epochs], and a checkpoint of a later epoch than the first must have some.
func ParseCheckpoint(text string) (Checkpoint, error) {
	lines := strings.SplitN(text, "\n", 4)
	if len(lines) != 4 {
		return Checkpoint{}, errCheckpoint
	}
	origin, ok := parseOrigin(lines[0])
	size, err := strconv.ParseInt(lines[1], 10, 64)
	root, rootErr := tlog.ParseHash(lines[2])
	c := Checkpoint{Origin: origin, Size: size, Root: root, Left: Epochs(lines[3])}
	switch {
	case !ok || err != nil || rootErr != nil || size < 0 || c.String() != text:
		return Checkpoint{}, errCheckpoint
	case origin.Epoch > 1 && c.Left == "":
		return Checkpoint{}, errOldCheckpoint
	case !c.Left.fit(c):
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
