package witness_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/statedir"
	"frontdesk/adapters/witness"
	"frontdesk/domain/proof"
)

// A signer is a service, with the key that signs for all of its logs.
type signer struct {
	note.Signer
	public note.Verifier
}

func newSigner(t *testing.T, name string) signer {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		t.Fatal(err)
	}
	key, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	return signer{key, verifier}
}

// history is a tree of a log: leaves up to a size, after which another history differs.
type history struct {
	t      *testing.T
	origin proof.Origin
	hashes []tlog.Hash
	size   int64
}

func newHistory(t *testing.T, name string) *history {
	return &history{t: t, origin: proof.Origin{Name: name, Log: uuid.New(), Epoch: 1}}
}

// ReadHashes returns hashes as tlog numbers them.
func (h *history) ReadHashes(at []int64) (found []tlog.Hash, err error) {
	for _, n := range at {
		found = append(found, h.hashes[n])
	}
	return found, nil
}

// grow adds leaves up to a size.
func (h *history) grow(size int64, what string) *history {
	h.t.Helper()
	for ; h.size < size; h.size++ {
		more, err := tlog.StoredHashes(h.size, fmt.Appendf(nil, "%s %d", what, h.size), h)
		if err != nil {
			h.t.Fatal(err)
		}
		h.hashes = append(h.hashes, more...)
	}
	return h
}

func (h *history) checkpoint(size int64) proof.Checkpoint {
	h.t.Helper()
	c := proof.Checkpoint{Origin: h.origin, Size: size, Root: proof.Edge{}.Root()}
	if size == 0 {
		return c
	}
	var err error
	if c.Root, err = tlog.TreeHash(size, h); err != nil {
		h.t.Fatal(err)
	}
	return c
}

func (h *history) prove(old, size int64) tlog.TreeProof {
	h.t.Helper()
	if old == 0 || old > size {
		return nil
	}
	path, err := tlog.ProveTree(size, old, h)
	if err != nil {
		h.t.Fatal(err)
	}
	return path
}

// request is a log's request for a cosignature of a size.
func (h *history) request(by note.Signer, old, size int64) []byte {
	h.t.Helper()
	signed, err := h.checkpoint(size).Sign(by)
	if err != nil {
		h.t.Fatal(err)
	}
	return proof.Consistency{Old: old, Proof: h.prove(old, size), Note: signed}.Format()
}

// watched is a witness under test, with its log.
type watched struct {
	*witness.Witness
	t   *testing.T
	dir string
	now time.Time
	log bytes.Buffer
	http.Handler
}

var cosignedAt = time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC)

func newWitness(t *testing.T, logs ...signer) *watched {
	t.Helper()
	private, _, err := proof.GenerateWitnessKey(rand.Reader, "witness.example")
	if err != nil {
		t.Fatal(err)
	}
	key, err := proof.NewCosigner(private, func() time.Time { return cosignedAt })
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{t: t, dir: t.TempDir(), now: cosignedAt}
	dir, err := statedir.Open(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	w.Witness = &witness.Witness{Key: key, State: dir, Now: func() time.Time { return w.now }, Log: slog.New(slog.NewTextHandler(&w.log, nil))}
	for _, l := range logs {
		w.Logs = append(w.Logs, l.public)
	}
	w.Handler = w.Witness.Handler(nil)
	return w
}

// ask sends a request, and returns the answer.
func (w *watched) ask(body []byte) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/add-checkpoint", bytes.NewReader(body)))
	return answer
}

// wants reports an unexpected answer.
func (w *watched) wants(name string, answer *httptest.ResponseRecorder, status int) {
	w.t.Helper()
	if answer.Code != status {
		w.t.Errorf("%s: %d %s, want %d", name, answer.Code, answer.Body, status)
	}
}

// wantsCosigned reports an answer without the requested cosignature.
func (w *watched) wantsCosigned(body []byte) {
	w.t.Helper()
	answer := w.ask(body)
	w.wants("a checkpoint that should be cosigned", answer, http.StatusOK)
	asked, err := proof.ParseConsistency(body)
	if err != nil {
		w.t.Fatal(err)
	}
	opened, err := note.Open(append(asked.Note, answer.Body.Bytes()...), note.VerifierList(w.Key))
	if err != nil {
		w.t.Fatalf("the answer %q: %v", answer.Body, err)
	}
	if at, err := proof.CosignedAt(opened.Sigs[0]); err != nil || !at.Equal(cosignedAt) || strings.Count(answer.Body.String(), "\n") != 1 {
		w.t.Errorf("the answer %q is of %v, %v", answer.Body, at, err)
	}
}

// monitor requests the last cosigned checkpoint of a log.
func (w *watched) monitor(origin proof.Origin) *httptest.ResponseRecorder {
	sum := sha256.Sum256([]byte(origin.String()))
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/"+hex.EncodeToString(sum[:])+"/checkpoint", nil))
	return answer
}
