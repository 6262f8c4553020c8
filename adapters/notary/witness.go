package notary

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

// Witness is a client of a c2sp.org/tlog-witness.
type Witness struct {
	URL  string // the submission prefix
	keys note.Verifiers

	client   *http.Client
	sizes    map[string]int64   // by origin: the size that the witness has cosigned, as far as this process knows
	answered map[proof.Tree]int // the turn of its last answer
	turn     int                // number of its answers
	fewer    int                // answers with a smaller size than it had cosigned, since the last look
	ahead    map[string]int64   // by origin: the size that it has cosigned, if we have not signed as much
}

const (
	witnessLimit  = 5 * time.Second // for one call
	witnessAnswer = 64 << 10        // bytes
	statusSize    = "text/x.tlog.size"
	statusEpoch   = "text/x.frontdesk.epoch"
)

// NewWitness returns a client that accepts cosignatures of the given keys.
func NewWitness(url string, keys ...note.Verifier) *Witness {
	client := &http.Client{
		Timeout:       witnessLimit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Witness{URL: strings.TrimSuffix(url, "/"), keys: note.VerifierList(keys...), client: client, sizes: map[string]int64{}, ahead: map[string]int64{}, answered: map[proof.Tree]int{}}
}

// sized is the error that the witness has cosigned another size than the request's old
// one.
type sized int64

func (s sized) Error() string { return fmt.Sprintf("it has cosigned size %d", int64(s)) }

// ended is the error that the witness has cosigned an earlier epoch of the log, and wants
// proofs that this one goes on from it.
type ended struct {
	epoch int
	size  int64
}

func (e ended) Error() string {
	return fmt.Sprintf("it has cosigned size %d of epoch %d", e.size, e.epoch)
}

// errUnproved is not an alarm: the operators of the witness and of the log decide.
var errUnproved = errors.New("it has cosigned more of an earlier epoch than this signer can prove: its operator has to accept the epoch")

// These pass on their own.
var (
	errAway   = errors.New("it cannot be reached")
	errBehind = errors.New("the stored trees cannot prove it yet")
	errFaster = errors.New("another signer has been faster, or this signer's folder was set back")
)

// cosign returns the witness' signature lines for a head.
func (w *Witness) cosign(ctx context.Context, h *head, hashes tlog.HashReader) ([]byte, error) {
	origin := h.checkpoint.Origin.String()
	for range 2 {
		from := w.sizes[origin]
		if from > h.checkpoint.Size {
			return nil, w.isAhead(origin, from, h.checkpoint.Size)
		}
		proven, err := consistency(h.checkpoint, from, hashes)
		if err != nil {
			return nil, err
		}
		body := proof.Consistency{Old: from, Proof: proven, Note: h.signed}.Format()
		lines, err := w.post(ctx, "/add-checkpoint", body, h)
		if is, ok := errors.AsType[ended](err); ok {
			if body, err = continuation(h, is, hashes); err != nil {
				return nil, err
			}
			lines, err = w.post(ctx, "/continue-epoch", body, h)
		}
		if is, ok := errors.AsType[sized](err); ok {
			if int64(is) < from {
				w.fewer++
			}
			w.sizes[origin] = int64(is)
			continue
		}
		if err != nil {
			return nil, err
		}
		w.sizes[origin] = h.checkpoint.Size
		delete(w.ahead, origin)
		return lines, nil
	}
	return nil, errFaster
}

// isAhead is an alarm if the log has still not reached the size that the witness had
// cosigned at an earlier request. Until then another signer with the same state may be
// faster.
func (w *Witness) isAhead(origin string, cosigned, size int64) error {
	delete(w.sizes, origin) // start again
	before, told := w.ahead[origin]
	w.ahead[origin] = cosigned
	if told && before > size {
		return Alarm(fmt.Sprintf("witness %s has cosigned %s at size %d, and it has %d here: the log and this signer's folder were set back, or another signer uses this key",
			w.URL, origin, cosigned, size))
	}
	return errFaster
}

// consistency proves that a checkpoint continues from a size, with hashes that may be
// wrong: it returns only valid proofs.
func consistency(c proof.Checkpoint, from int64, hashes tlog.HashReader) (tlog.TreeProof, error) {
	if from == 0 || from == c.Size {
		return nil, nil
	}
	old, err := treeHash(from, hashes)
	if err != nil {
		return nil, err
	}
	proven, err := tlog.ProveTree(c.Size, from, hashes)
	if err != nil {
		return nil, behind(err)
	}
	if err := tlog.CheckTree(proven, c.Size, c.Root, from, old); err != nil {
		return nil, fmt.Errorf("%w: %w", errStoredTree, err)
	}
	return proven, nil
}

// continuation proves that a head goes on from the last cosigned checkpoint of an earlier
// epoch. It returns only valid proofs.
func continuation(h *head, last ended, hashes tlog.HashReader) ([]byte, error) {
	at := slices.IndexFunc(h.left, func(l left) bool { return l.Epoch == last.epoch })
	if at < 0 {
		return nil, errUnproved
	}
	left := h.left[at]
	proven, err := consistency(h.checkpoint, left.Size, hashes)
	if err != nil {
		return nil, err
	}
	before, root := formerTree{left, hashes}, left.Root
	if last.size != left.Size {
		if root, err = treeHash(last.size, before); err != nil {
			return nil, err
		}
	}
	c := proof.Continuation{
		Epoch: last.epoch, Cosigned: last.size, Consistency: proof.Consistency{Old: left.Size, Proof: proven, Note: h.signed},
	}
	if small, large := min(left.Size, last.size), max(left.Size, last.size); small > 0 && small < large {
		if c.Before, err = tlog.ProveTree(large, small, before); err != nil {
			return nil, behind(err)
		}
	}
	cosigned := proof.Checkpoint{Origin: proof.Origin{Epoch: last.epoch}, Size: last.size, Root: root}
	if _, err := c.Check(cosigned, h.checkpoint); err != nil {
		return nil, errStoredTree
	}
	return c.Format(), nil
}

// errStoredTree reports that the prover's tables differ from the signed tree.
var errStoredTree = errors.New("the stored tree is not the one that was signed: rebuild it with frontdesk audit rebuild --proofs")

// treeHash returns the root of a tree.
func treeHash(size int64, hashes tlog.HashReader) (root tlog.Hash, err error) {
	if size == 0 {
		return proof.Edge{}.Root(), nil
	}
	root, err = tlog.TreeHash(size, hashes)
	return root, behind(err)
}

// behind is the error that stored hashes cannot be read.
func behind(err error) error {
	if err == nil || errors.Is(err, errUnproved) {
		return err
	}
	return fmt.Errorf("%w: %w", errBehind, err)
}

// formerTree is the tree of an earlier epoch: the kept leaves are those of the tree of
// today, and the others are lost.
type formerTree struct {
	left
	now tlog.HashReader
}

// ReadHashes returns hashes by their index in tlog. It fails with errUnproved if they are of
// leaves that the signer has not kept.
func (f formerTree) ReadHashes(indexes []int64) (found []tlog.Hash, err error) {
	for _, index := range indexes {
		level, n := tlog.SplitStoredHashIndex(index)
		hash, err := f.hash(level, n)
		if err != nil {
			return nil, err
		}
		found = append(found, hash)
	}
	return found, nil
}

func (f formerTree) hash(level int, n int64) (tlog.Hash, error) {
	if (n+1)<<level <= f.Size {
		hashes, err := f.now.ReadHashes([]int64{tlog.StoredHashIndex(level, n)})
		if err != nil {
			return tlog.Hash{}, err
		}
		return hashes[0], nil
	}
	if level == 0 {
		if n-f.Size >= int64(len(f.Lost)) {
			return tlog.Hash{}, errUnproved
		}
		return f.Lost[n-f.Size], nil
	}
	first, err := f.hash(level-1, 2*n)
	if err != nil {
		return tlog.Hash{}, err
	}
	second, err := f.hash(level-1, 2*n+1)
	return tlog.NodeHash(first, second), err
}

func (w *Witness) post(ctx context.Context, path string, body []byte, h *head) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask the witness: %w", err)
	}
	answer, err := w.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errAway, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, witnessAnswer))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errAway, err)
	}
	return w.read(answer, text, h)
}

// read reads an answer, and trusts only what the witness's key has signed.
func (w *Witness) read(answer *http.Response, text []byte, h *head) ([]byte, error) {
	switch answer.StatusCode {
	case http.StatusOK:
		return w.lines(text, h)
	case http.StatusConflict:
		if answer.Header.Get("Content-Type") == statusEpoch {
			var e ended
			if n, err := fmt.Sscanf(string(text), "%d %d\n", &e.epoch, &e.size); n != 2 || err != nil || e.size < 0 {
				return nil, errors.New("it answers 409 without its epoch")
			}
			return nil, e
		}
		size, err := strconv.ParseInt(strings.TrimSuffix(string(text), "\n"), 10, 64)
		if err != nil || size < 0 || answer.Header.Get("Content-Type") != statusSize {
			return nil, errors.New("it answers 409 without its size")
		}
		return nil, sized(size)
	case http.StatusUnprocessableEntity:
		return nil, Alarm(fmt.Sprintf("witness %s has cosigned another history of %s than the one that is signed here; it answers %.200q", w.URL, h.checkpoint.Origin, text))
	case http.StatusNotFound, http.StatusForbidden:
		return nil, fmt.Errorf("it does not know the log or its key (%d): give its operator the verifier key", answer.StatusCode)
	}
	if answer.StatusCode >= http.StatusInternalServerError || answer.StatusCode == http.StatusTooManyRequests {
		return nil, fmt.Errorf("%w: it answers %d", errAway, answer.StatusCode)
	}
	return nil, fmt.Errorf("it answers %d", answer.StatusCode)
}

// lines returns the cosignatures with known keys.
func (w *Witness) lines(text []byte, h *head) ([]byte, error) {
	opened, err := note.Open(append(bytes.Clone(h.signed), text...), w.keys)
	if err != nil {
		return nil, fmt.Errorf("it has not signed with a key that was given: %w", err)
	}
	var lines []byte
	for _, signature := range opened.Sigs {
		lines = fmt.Appendf(lines, "— %s %s\n", signature.Name, signature.Base64)
	}
	return lines, nil
}
