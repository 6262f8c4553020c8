package docs_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk.example/client"
	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

// checkpointVector is a kept checkpoint, the newest one with its proof, and the verdict.
type checkpointVector struct {
	Name        string                  `json:"name"`
	Kept        string                  `json:"kept"`
	Newest      string                  `json:"newest"`
	Consistency []string                `json:"consistency"`
	Accepted    bool                    `json:"accepted"`
	Reason      client.CheckpointReason `json:"reason,omitempty"`
}

// noteKey is a key of signed notes. It follows from its name and number, so the vectors
// stay the same.
type noteKey struct {
	note.Signer
	verifier string
}

func newNoteKey(name string, number byte) noteKey {
	seed := sha256.Sum256(append([]byte("a key for vectors of "+name), number))
	public := append([]byte{1}, ed25519.NewKeyFromSeed(seed[:]).Public().(ed25519.PublicKey)...)
	id := sha256.Sum256(append([]byte(name+"\n"), public...))
	encode := func(key []byte) string {
		return fmt.Sprintf("%s+%x+%s", name, id[:4], base64.StdEncoding.EncodeToString(key))
	}
	signer, err := note.NewSigner("PRIVATE+KEY+" + encode(append([]byte{1}, seed[:]...)))
	if err != nil {
		panic(err) // the form above is wrong
	}
	return noteKey{signer, encode(public)}
}

// The signer of the vectors, one of the same name, and one of another service.
var (
	theLogKey   = newNoteKey("api.example", 1)
	strangerKey = newNoteKey("api.example", 2)
	otherKey    = newNoteKey("other.example", 1)
)

// sign signs a text, which may be no checkpoint.
func (k noteKey) sign(text string, further ...note.Signer) string {
	signed, err := note.Sign(&note.Note{Text: text}, append([]note.Signer{k}, further...)...)
	if err != nil {
		panic(err)
	}
	return string(signed)
}

// vectorLog is a log of made-up leaves.
type vectorLog struct {
	stored []tlog.Hash
	roots  []tlog.Hash
}

// newVectorLog makes a log of 11 leaves, of which those from a number on are others.
func newVectorLog(others int) (l vectorLog) {
	var edge proof.Edge
	for n := range 11 {
		l.roots = append(l.roots, edge.Root())
		text := fmt.Sprintf("event %d", n)
		if n >= others {
			text += ", altered"
		}
		more, err := tlog.StoredHashes(int64(n), []byte(text), l)
		if err != nil {
			panic(err)
		}
		l.stored = append(l.stored, more...)
		edge.Append(tlog.RecordHash([]byte(text)))
	}
	l.roots = append(l.roots, edge.Root())
	return l
}

// ReadHashes implements [tlog.HashReader].
func (l vectorLog) ReadHashes(indexes []int64) (found []tlog.Hash, err error) {
	for _, n := range indexes {
		found = append(found, l.stored[n])
	}
	return found, nil
}

func (l vectorLog) text(size, epoch int, lines ...string) string {
	origin := proof.Origin{Name: "api.example", Log: uuid.MustParse("01980000-0000-7000-8000-0000000000d1"), Epoch: epoch}
	return fmt.Sprintf("%s\n%d\n%s\n%s", origin, size, l.roots[size], strings.Join(append(lines, ""), "\n"))
}

func (l vectorLog) proof(from, to int) []string {
	hashes := []string{}
	if from == 0 {
		return hashes
	}
	proven, err := tlog.ProveTree(int64(to), int64(from), l)
	if err != nil {
		panic(err)
	}
	for _, hash := range proven {
		hashes = append(hashes, hash.String())
	}
	return hashes
}

func checkpointVectors() (all []checkpointVector) {
	log, other := newVectorLog(11), newVectorLog(5)
	sign := theLogKey.sign
	kept, newest := func(size int) string { return sign(log.text(size, 1)) }, sign(log.text(11, 1))
	right := func(name, kept, newest string, consistency []string) {
		all = append(all, checkpointVector{name, kept, newest, consistency, true, ""})
	}
	wrong := func(name string, why client.CheckpointReason, kept, newest string, consistency []string) {
		all = append(all, checkpointVector{name, kept, newest, consistency, false, why})
	}
	right("nothing was kept", "", newest, []string{})
	for from := range 12 {
		right(fmt.Sprintf("grown from %d", from), kept(from), newest, log.proof(from, 11))
	}
	right("grown from 6 to 7", kept(6), kept(7), log.proof(6, 7))
	right("with the signature of a witness", kept(6), sign(log.text(11, 1), otherKey), log.proof(6, 11))
	right("an extension line that is not known", kept(6), sign(log.text(11, 1, "more")), log.proof(6, 11))
	left := func(size int) string { return fmt.Sprintf("left 1 %d %s", size, log.roots[size]) }
	right("into the next epoch", kept(8), sign(log.text(11, 2, left(8))), log.proof(8, 11))
	right("into the next epoch, which kept more", kept(6), sign(log.text(11, 2, left(8))), log.proof(6, 11))

	wrong("an event was changed", client.Changed, kept(8), sign(other.text(11, 1)), other.proof(8, 11))
	wrong("an event was changed, with the proof of before", client.Changed, kept(8), sign(other.text(11, 1)), log.proof(8, 11))
	wrong("two roots of one size", client.Changed, newest, sign(other.text(11, 1)), []string{})
	wrong("shorter than before", client.RolledBack, newest, kept(8), []string{})
	wrong("an earlier epoch", client.RolledBack, sign(log.text(8, 2, left(8))), newest, log.proof(8, 11))
	wrong("events were lost with an epoch", client.RolledBack, kept(8), sign(log.text(11, 2, left(6))), log.proof(8, 11))
	wrong("the proof of another size", client.Changed, kept(8), newest, log.proof(6, 11))
	proven := log.proof(6, 11)
	wrong("no proof", client.Changed, kept(6), newest, []string{})
	wrong("a hash too few", client.Changed, kept(6), newest, proven[:len(proven)-1])
	wrong("a hash too many", client.Changed, kept(6), newest, append(slices.Clone(proven), proven[0]))
	wrong("hashes in another order", client.Changed, kept(6), newest, []string{proven[1], proven[0], proven[2], proven[3]})
	wrong("hashes from an empty log", client.Changed, kept(0), newest, proven[:1])
	wrong("hashes between two of a size", client.Changed, newest, newest, proven[:1])
	wrong("a hash that is none", client.NoCheckpoint, kept(6), newest, []string{proven[0], "AQID", proven[2], proven[3]})
	wrong("an empty log with another root", client.Changed, sign(strings.Replace(log.text(0, 1), log.roots[0].String(), log.roots[1].String(), 1)), newest, []string{})

	wrong("signed by another key of that name", client.Unsigned, kept(6), strangerKey.sign(log.text(11, 1)), proven)
	wrong("signed by another service", client.Unsigned, kept(6), otherKey.sign(log.text(11, 1)), proven)
	wrong("signed by nobody", client.Unsigned, kept(6), log.text(11, 1)+"\n", proven)
	wrong("a root that was changed after signing", client.Unsigned, kept(8), strings.Replace(newest, log.roots[11].String(), other.roots[11].String(), 1), other.proof(8, 11))
	wrong("kept from another key of that name", client.Unsigned, strangerKey.sign(log.text(6, 1)), newest, proven)
	wrong("the log of another practice", client.AnotherLog, kept(6), sign(strings.Replace(log.text(11, 1), "d1/1", "d2/1", 1)), proven)
	wrong("the log of another service", client.AnotherLog, kept(6), sign(strings.Replace(log.text(11, 1), "api.example", "other.example", 1)), proven)
	wrong("no note", client.NoCheckpoint, kept(6), "hello\n", proven)
	wrong("a signed text of two lines", client.NoCheckpoint, kept(6), sign("api.example/log/01980000-0000-7000-8000-0000000000d1/1\n11\n"), proven)
	wrong("a size with a zero in front", client.NoCheckpoint, kept(6), sign(strings.Replace(log.text(11, 1), "\n11\n", "\n011\n", 1)), proven)
	wrong("a root that is no hash", client.NoCheckpoint, kept(6), sign(strings.Replace(log.text(11, 1), log.roots[11].String(), "AQID", 1)), proven)
	wrong("an origin without an epoch", client.NoCheckpoint, kept(6), sign(strings.Replace(log.text(11, 1), "d1/1\n", "d1\n", 1)), proven)
	wrong("a signature that is no base64", client.NoCheckpoint, kept(6), newest+"— other.example ?\n", proven)
	return all
}

// lenient names what clients accept and this program does not: a later release may write it.
var lenient = []string{"an extension line that is not known"}

// The program judges the checkpoints as the vectors say, by other code than the clients have.
func TestProofAgreesWithCheckpointVectors_D140(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	for _, vector := range v.Checkpoints {
		if slices.Contains(lenient, vector.Name) {
			continue
		}
		if err := judged(t, v.LogKey, vector); (err == nil) != vector.Accepted {
			t.Errorf("%s: %v", vector.Name, err)
		}
	}
}

func judged(t *testing.T, key string, vector checkpointVector) error {
	t.Helper()
	policy, err := proof.NewPolicy(key, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	newest, err := policy.Open([]byte(vector.Newest))
	if err != nil || vector.Kept == "" {
		return err
	}
	kept, err := policy.Open([]byte(vector.Kept))
	if err != nil {
		return err
	}
	if err := export.GoesOn(kept, newest); err != nil {
		return err
	}
	c := proof.Consistency{Old: kept.Size}
	for _, text := range vector.Consistency {
		hash, err := tlog.ParseHash(text)
		if err != nil {
			return err
		}
		c.Proof = append(c.Proof, hash)
	}
	return c.Check(kept.Root, newest)
}

// The Go client gives each vector its reason. The other clients read the same file.
func TestClientAgreesWithCheckpointVectors_D140(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	log, err := client.NewLogVerifier(v.LogKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, vector := range v.Checkpoints {
		_, err := log.Check(vector.Kept, vector.Newest, vector.Consistency)
		why, _ := errors.AsType[*client.CheckpointError](err)
		if (err == nil) != vector.Accepted || why != nil && why.Reason != vector.Reason {
			t.Errorf("%s: %v", vector.Name, err)
		}
	}
}
