package client

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A CheckpointReason is the reason of a [CheckpointError].
type CheckpointReason string

// The reasons.
const (
	NoCheckpoint CheckpointReason = "malformed"   // it is not in the form of a checkpoint, or of a proof
	Unsigned     CheckpointReason = "unsigned"    // the verifier key has not signed it
	AnotherLog   CheckpointReason = "another-log" // it belongs to another service, or to another practice
	RolledBack   CheckpointReason = "rolled-back" // the log has lost events that were covered
	Changed      CheckpointReason = "changed"     // the log does not begin with the covered events
)

// A CheckpointError refuses a checkpoint. The two notes are evidence: keep them.
type CheckpointError struct {
	Reason       CheckpointReason
	Kept, Newest string // the signed texts; "" if the error is not about it

	detail string
}

func (e *CheckpointError) Error() string {
	return "checkpoint refused: " + string(e.Reason) + ": " + e.detail
}

func distrust(reason CheckpointReason, format string, arguments ...any) *CheckpointError {
	return &CheckpointError{Reason: reason, detail: fmt.Sprintf(format, arguments...)}
}

// A Checkpoint is the verified content of a signed note (c2sp.org/tlog-checkpoint).
type Checkpoint struct {
	Note  string // the signed text
	Log   string // identifies the log, with the service's name
	Epoch int    // of the log; another one begins after a restore or a loss
	Size  int64  // the number of events that it covers
	Root  [sha256.Size]byte

	left map[int]int64 // how many events of each earlier epoch the log has kept
}

// A LogVerifier verifies checkpoints of a service's logs, and that a log begins with an earlier
// checkpoint (RFC 6962). It trusts no answer of the service, only the key.
type LogVerifier struct {
	name string
	hash [4]byte // identifies the key among those of its name
	key  ed25519.PublicKey
}

const ed25519Kind = 1 // of a signed note's key

// NewLogVerifier parses a verifier key, such as api.example+1b09aa22+AZsf…. Get it from the
// operator, and not from the service.
func NewLogVerifier(key string) (*LogVerifier, error) {
	parts := strings.SplitN(key, "+", 3)
	errKey := fmt.Errorf("%q is not a verifier key of a log", key)
	if len(parts) != 3 || parts[0] == "" || strings.ContainsAny(parts[0], " \n") {
		return nil, errKey
	}
	hash, errHash := hex.DecodeString(parts[1])
	public, errPublic := decode64(parts[2])
	if errHash != nil || errPublic != nil || len(hash) != 4 || len(public) != 1+ed25519.PublicKeySize || public[0] != ed25519Kind {
		return nil, errKey
	}
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), public...))
	if !bytes.Equal(sum[:4], hash) {
		return nil, errKey
	}
	return &LogVerifier{parts[0], [4]byte(hash), ed25519.PublicKey(public[1:])}, nil
}

// decode64 accepts one encoding of each value.
func decode64(text string) ([]byte, error) {
	decoded, err := base64.StdEncoding.Strict().DecodeString(text)
	if err == nil && base64.StdEncoding.EncodeToString(decoded) != text {
		err = errors.New("it has line breaks")
	}
	return decoded, err
}

// Open returns the checkpoint of a note that the key has signed.
func (v *LogVerifier) Open(note string) (Checkpoint, error) {
	c, err := v.open(note)
	if err != nil {
		err.Newest = note
		return Checkpoint{}, err
	}
	return c, nil
}

func (v *LogVerifier) open(note string) (c Checkpoint, _ *CheckpointError) {
	end := strings.LastIndex(note, "\n\n")
	if end < 0 || !strings.HasSuffix(note, "\n") {
		return c, distrust(NoCheckpoint, "it is not a signed note")
	}
	text, signatures := note[:end+1], note[end+2:]
	if err := v.verify(text, signatures); err != nil {
		return c, err
	}
	return v.parse(note, text)
}

// verify checks the signatures of the key. Those of others, such as witnesses, are passed over.
func (v *LogVerifier) verify(text, signatures string) *CheckpointError {
	signed := false
	for line := range strings.Lines(signatures) {
		name, encoded, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(line, "— "), "\n"), " ")
		signature, err := decode64(encoded)
		if !strings.HasPrefix(line, "— ") || !ok || err != nil || len(signature) < 5 {
			return distrust(NoCheckpoint, "a line of signatures is malformed")
		}
		if name != v.name || !bytes.Equal(signature[:4], v.hash[:]) {
			continue
		}
		if !ed25519.Verify(v.key, []byte(text), signature[4:]) {
			return distrust(Unsigned, "the signature of %s does not hold", name)
		}
		signed = true
	}
	if !signed {
		return distrust(Unsigned, "the key of %s has not signed it", v.name)
	}
	return nil
}

var (
	originForm = regexp.MustCompile(`^(.+)/log/([^/]+)/([1-9][0-9]{0,8})$`)
	sizeForm   = regexp.MustCompile(`^(0|[1-9][0-9]{0,14})$`)
	leftForm   = regexp.MustCompile(`^left ([1-9][0-9]{0,8}) (0|[1-9][0-9]{0,14}) \S+$`)
)

// parse reads the first three lines, and which earlier epochs the others name. Extension lines of
// other forms are passed over.
func (v *LogVerifier) parse(note, text string) (c Checkpoint, _ *CheckpointError) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 3 {
		return c, distrust(NoCheckpoint, "it has %d lines of at least 3", len(lines))
	}
	origin, size := originForm.FindStringSubmatch(lines[0]), sizeForm.MatchString(lines[1])
	root, err := decode64(lines[2])
	if origin == nil || !size || err != nil || len(root) != sha256.Size {
		return c, distrust(NoCheckpoint, "its origin, size or root is malformed")
	}
	if origin[1] != v.name {
		return c, distrust(AnotherLog, "it is a log of %s, and the key is that of %s", origin[1], v.name)
	}
	c = Checkpoint{Note: note, Log: origin[1] + "/log/" + origin[2], Root: [sha256.Size]byte(root), left: map[int]int64{}}
	c.Epoch, _ = strconv.Atoi(origin[3]) // the forms have bounds
	c.Size, _ = strconv.ParseInt(lines[1], 10, 64)
	for _, line := range lines[3:] {
		if left := leftForm.FindStringSubmatch(line); left != nil {
			epoch, _ := strconv.Atoi(left[1])
			c.left[epoch], _ = strconv.ParseInt(left[2], 10, 64)
		}
	}
	return c, nil
}

// Check verifies a newest checkpoint and, unless kept is empty, the proof that its log begins with
// the kept checkpoint. The hashes are those of [SignedCheckpoint.Consistency].
func (v *LogVerifier) Check(kept, newest string, consistency []string) (Checkpoint, error) {
	c, err := v.check(kept, newest, consistency)
	if err != nil {
		err.Kept, err.Newest = kept, newest
		return Checkpoint{}, err
	}
	return c, nil
}

func (v *LogVerifier) check(kept, newest string, consistency []string) (c Checkpoint, err *CheckpointError) {
	if c, err = v.open(newest); err != nil || kept == "" {
		return c, err
	}
	old, err := v.open(kept)
	if err != nil {
		err.detail = "the kept one: " + err.detail
		return c, err
	}
	if err := goesOn(old, c); err != nil {
		return c, err
	}
	proof := make([][]byte, 0, len(consistency))
	for _, text := range consistency {
		hash, errHash := decode64(text)
		if errHash != nil || len(hash) != sha256.Size {
			return c, distrust(NoCheckpoint, "the proof has a malformed hash")
		}
		proof = append(proof, hash)
	}
	if !grown(old, c, proof) {
		return c, distrust(Changed, "the log does not begin with the %d events that the kept checkpoint covers", old.Size)
	}
	return c, nil
}

// goesOn refuses a checkpoint that cannot be a later one of the kept log.
func goesOn(kept, newest Checkpoint) *CheckpointError {
	left, ended := newest.left[kept.Epoch]
	switch {
	case kept.Log != newest.Log:
		return distrust(AnotherLog, "the kept one is of %s, and this one of %s", kept.Log, newest.Log)
	case newest.Size < kept.Size:
		return distrust(RolledBack, "the log has %d events, and had %d", newest.Size, kept.Size)
	case newest.Epoch < kept.Epoch:
		return distrust(RolledBack, "the log is in epoch %d, and was in %d", newest.Epoch, kept.Epoch)
	case ended && left < kept.Size:
		return distrust(RolledBack, "the log kept %d events of epoch %d, and had %d", left, kept.Epoch, kept.Size)
	}
	return nil
}

// grown verifies a proof of consistency: RFC 9162, 2.1.4.2, which is that of RFC 6962.
func grown(old, newest Checkpoint, proof [][]byte) bool {
	switch {
	case old.Size == newest.Size:
		return len(proof) == 0 && old.Root == newest.Root
	case old.Size == 0:
		return len(proof) == 0 && old.Root == sha256.Sum256(nil)
	case old.Size&(old.Size-1) == 0: // a whole subtree, whose root the proof leaves out
		proof = append([][]byte{old.Root[:]}, proof...)
	}
	if len(proof) == 0 {
		return false
	}
	fn, sn := old.Size-1, newest.Size-1
	for fn&1 == 1 {
		fn, sn = fn>>1, sn>>1
	}
	oldRoot, newRoot := proof[0], proof[0]
	for _, hash := range proof[1:] {
		if sn == 0 {
			return false
		}
		if fn&1 == 1 || fn == sn {
			oldRoot, newRoot = node(hash, oldRoot), node(hash, newRoot)
			for fn&1 == 0 && fn != 0 {
				fn, sn = fn>>1, sn>>1
			}
		} else {
			newRoot = node(newRoot, hash)
		}
		fn, sn = fn>>1, sn>>1
	}
	return sn == 0 && bytes.Equal(oldRoot, old.Root[:]) && bytes.Equal(newRoot, newest.Root[:])
}

func node(left, right []byte) []byte {
	sum := sha256.Sum256(append(append([]byte{1}, left...), right...))
	return sum[:]
}
