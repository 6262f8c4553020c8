package witness_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/witness"
	"frontdesk/domain/proof"
)

// signed wraps any text in a request, signed as it is.
func signed(t *testing.T, old int64, text string, by ...note.Signer) []byte {
	t.Helper()
	n, err := note.Sign(&note.Note{Text: text}, by...)
	if err != nil {
		t.Fatal(err)
	}
	return proof.Consistency{Old: old, Note: n}.Format()
}

// broken changes the last signature of a request.
func broken(request []byte) []byte {
	other := bytes.Clone(request)
	at := &other[len(other)-10]
	if *at++; *at < 'B' || *at > 'Z' {
		*at = 'A'
	}
	return other
}

func TestAWitnessAnswersAsC2SPHasIt_D78(t *testing.T) {
	t.Parallel()
	log, stranger := newSigner(t, "api.example"), newSigner(t, "other.example")
	impostor := newSigner(t, "api.example")
	w := newWitness(t, log, newSigner(t, "second.example"))
	h := newHistory(t, "api.example").grow(20, "leaf")
	fork := &history{t: t, origin: h.origin}
	fork.grow(20, "other leaf")
	ours, theirs := h.checkpoint(20).String(), newHistory(t, "other.example").grow(1, "leaf").checkpoint(1).String()

	w.wants("a log of which nothing was cosigned", w.monitor(h.origin), http.StatusNotFound)
	w.wantsCosigned(h.request(log, 0, 0))
	w.wantsCosigned(h.request(log, 0, 0))
	w.wantsCosigned(h.request(log, 0, 7))
	w.wantsCosigned(h.request(log, 7, 7))
	w.wantsCosigned(h.request(log, 7, 12))

	empty := newHistory(t, "api.example")
	wrong := empty.checkpoint(0)
	wrong.Root = h.checkpoint(7).Root
	began := signed(t, 0, newHistory(t, "api.example").grow(3, "leaf").checkpoint(3).String(), log)
	proved := bytes.Replace(began, []byte("old 0\n"), []byte("old 0\n"+wrong.Root.String()+"\n"), 1)
	for name, c := range map[string]struct {
		body   []byte
		status int
	}{
		"nothing":                         {nil, http.StatusBadRequest},
		"no proof":                        {[]byte(ours), http.StatusBadRequest},
		"no note":                         {[]byte("old 12\n\n" + ours), http.StatusBadRequest},
		"no checkpoint":                   {signed(t, 12, "api.example/log/x\nten\n", log), http.StatusBadRequest},
		"an extension":                    {signed(t, 12, ours+"more\n", log), http.StatusBadRequest},
		"an old size that is larger":      {h.request(log, 12, 11), http.StatusBadRequest},
		"another log":                     {signed(t, 0, theirs, stranger), http.StatusNotFound},
		"another log in our key":          {signed(t, 0, theirs, log), http.StatusNotFound},
		"a log of another form":           {signed(t, 0, "example.com/behind-the-sofa\n1\n"+h.checkpoint(1).Root.String()+"\n", log), http.StatusNotFound},
		"a log of a name in a name":       {signed(t, 0, strings.Replace(ours, "/log/", "/log/x/log/", 1), log), http.StatusForbidden},
		"a key of that name":              {h.request(impostor, 12, 20), http.StatusForbidden},
		"another service's key":           {signed(t, 0, strings.Replace(ours, "api.", "second.", 1), log), http.StatusForbidden},
		"a signature that does not hold":  {broken(h.request(log, 12, 20)), http.StatusForbidden},
		"an old size that was before":     {h.request(log, 7, 20), http.StatusConflict},
		"an old size that was never":      {h.request(log, 13, 20), http.StatusConflict},
		"no old size":                     {h.request(log, 0, 20), http.StatusConflict},
		"a smaller one":                   {h.request(log, 7, 7), http.StatusConflict},
		"a proof of another history":      {fork.request(log, 12, 20), http.StatusUnprocessableEntity},
		"no proof of growth":              {signed(t, 12, ours, log), http.StatusUnprocessableEntity},
		"a proof of what needs none":      {proved, http.StatusUnprocessableEntity},
		"a root of an empty tree":         {signed(t, 0, wrong.String(), log), http.StatusUnprocessableEntity},
		"another root for the same size":  {fork.request(log, 12, 12), http.StatusUnprocessableEntity},
		"a proof that the same is itself": {proof.Consistency{Old: 12, Proof: h.prove(7, 12), Note: noteOf(t, h.request(log, 12, 12))}.Format(), http.StatusUnprocessableEntity},
		"more than anybody needs":         {bytes.Repeat([]byte("x"), 200<<10), http.StatusRequestEntityTooLarge},
	} {
		answer := w.ask(c.body)
		w.wants(name, answer, c.status)
		if c.status == http.StatusConflict && (answer.Body.String() != "12\n" || answer.Header().Get("Content-Type") != "text/x.tlog.size") {
			t.Errorf("%s: the answer is %q as %s", name, answer.Body, answer.Header().Get("Content-Type"))
		}
	}
	w.wantsMonitored(h.checkpoint(12), log)
	twice := append(h.request(log, 12, 20), []byte("— api.example AAAAAAAA\n")...) // an unknown key of the name
	w.wantsCosigned(twice)
	w.wantsMonitored(h.checkpoint(20), log)
}

// noteOf is the signed note in a request.
func noteOf(t *testing.T, request []byte) []byte {
	t.Helper()
	asked, err := proof.ParseConsistency(request)
	if err != nil {
		t.Fatal(err)
	}
	return asked.Note
}

// wantsMonitored reports whether monitors see another checkpoint.
func (w *watched) wantsMonitored(want proof.Checkpoint, log signer) {
	w.t.Helper()
	shown, err := proof.Policy{Key: log.public, Witnesses: []note.Verifier{w.Key}, Need: 1}.Open(w.monitor(want.Origin).Body.Bytes())
	if err != nil || shown != want {
		w.t.Errorf("monitors are shown %v, %v, want %v", shown, err, want)
	}
}

func TestOfTwoHistoriesTheFirstIsCosigned_D78(t *testing.T) {
	t.Parallel()
	log := newSigner(t, "api.example")
	w := newWitness(t, log)
	h := newHistory(t, "api.example").grow(10, "leaf")
	fork := &history{t: t, origin: h.origin, size: h.size, hashes: append([]tlog.Hash(nil), h.hashes...)}
	h.grow(20, "leaf")
	fork.grow(30, "other leaf")
	w.wantsCosigned(h.request(log, 0, 10))
	w.wantsCosigned(h.request(log, 10, 15))
	w.wants("the second history, larger", w.ask(fork.request(log, 15, 25)), http.StatusUnprocessableEntity)
	if strings.Contains(w.log.String(), "two histories") {
		t.Errorf("a proof that fails is no proof of two histories: %s", &w.log)
	}
	second := fork.request(log, 10, 15) // as if nothing had been cosigned since
	w.wants("the second history, as large", w.ask(second), http.StatusConflict)
	w.wants("the second history again", w.ask(fork.request(log, 15, 15)), http.StatusUnprocessableEntity)
	if got := strings.Count(w.log.String(), "two histories"); got != 2 {
		t.Errorf("the log says so %d times: %s", got, &w.log)
	}
	kept, err := filepath.Glob(filepath.Join(w.dir, "*.fork"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept are %v, %v", kept, err)
	}
	if other, err := os.ReadFile(kept[0]); err != nil || !bytes.Equal(other, noteOf(t, second)) {
		t.Errorf("kept is %q, %v", other, err)
	}
	w.wantsCosigned(h.request(log, 15, 20))
	w.wantsMonitored(h.checkpoint(20), log)
}

// Checkpoints are public. Sending one again, with any proof, causes neither progress
// nor an alarm.
func TestReplayedCheckpointChangesNothing_D78(t *testing.T) {
	t.Parallel()
	log := newSigner(t, "api.example")
	w := newWitness(t, log)
	h := newHistory(t, "api.example").grow(20, "leaf")
	w.wantsCosigned(h.request(log, 0, 10))
	newer := noteOf(t, h.request(log, 10, 20))
	for old := range int64(20) {
		w.ask(proof.Consistency{Old: old, Proof: tlog.TreeProof{tlog.RecordHash(nil)}, Note: newer}.Format())
		w.ask(h.request(log, 0, old))
	}
	if strings.Contains(w.log.String(), "level=ERROR") {
		t.Errorf("the log says: %s", &w.log)
	}
	w.wantsMonitored(h.checkpoint(10), log)
	w.wantsCosigned(h.request(log, 10, 20))
}

func TestOneHistoryIsCosignedOfManyAtOnce_D78(t *testing.T) {
	t.Parallel()
	log := newSigner(t, "api.example")
	w := newWitness(t, log)
	const senders = 8
	same := newHistory(t, "api.example").grow(10, "leaf")
	w.wantsCosigned(same.request(log, 0, 10))
	var cosigned [senders]int
	var sending sync.WaitGroup
	for n := range senders {
		h := &history{t: t, origin: same.origin, size: same.size, hashes: append([]tlog.Hash(nil), same.hashes...)}
		h.grow(13, fmt.Sprint("history ", n))
		requests := [][]byte{h.request(log, 10, 11), h.request(log, 11, 12), h.request(log, 12, 13)}
		sending.Go(func() {
			for _, request := range requests {
				if w.ask(request).Code == http.StatusOK {
					cosigned[n]++
				}
			}
		})
	}
	sending.Wait()
	slices.Sort(cosigned[:])
	if cosigned[senders-1] != 3 || cosigned[senders-2] != 0 {
		t.Errorf("of each history so many checkpoints were cosigned: %v", cosigned)
	}
}

// continues is the request for the first checkpoint of epoch 2, of a history that keeps the
// first leaves of another one, which was cosigned at a size.
func (h *history) continues(by note.Signer, was *history, kept, cosigned, size int64) []byte {
	h.t.Helper()
	c := h.checkpoint(size)
	left := was.checkpoint(kept)
	c.Left = proof.EpochsOf([]proof.Left{{Epoch: 1, Size: left.Size, Root: left.Root}})
	signed, err := c.Sign(by)
	if err != nil {
		h.t.Fatal(err)
	}
	before := was.prove(kept, cosigned)
	if kept > cosigned {
		before = was.prove(cosigned, kept)
	} else if kept == cosigned {
		before = nil
	}
	path := h.prove(kept, size)
	if kept == size {
		path = nil
	}
	return proof.Continuation{Epoch: 1, Cosigned: cosigned, Before: before, Consistency: proof.Consistency{Old: kept, Proof: path, Note: signed}}.Format()
}

// next returns a history that keeps the first leaves of another one, in epoch 2.
func (h *history) next(kept, size int64) *history {
	n := &history{t: h.t, origin: h.origin}
	n.origin.Epoch = 2
	return n.grow(kept, "leaf").grow(size, "other")
}

// An epoch may lose what was cosigned a moment ago. A thief of the key cannot call more lost.
func TestWitnessKeepsSettledEntries_D139(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kept int64
		wait time.Duration // since the last cosignature
		ok   bool
	}{
		"nothing lost":                         {20, 0, true},
		"entries of the last minutes lost":     {12, time.Minute, true},
		"an entry of twenty minutes ago":       {11, time.Minute, false},
		"all lost":                             {0, 0, false},
		"entries of the last minutes, later":   {19, 10 * time.Minute, false},
		"nothing lost, and the next one later": {20, time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := newSigner(t, "api.example")
			w := newWitness(t, log)
			h := newHistory(t, "api.example").grow(20, "leaf")
			last := int64(0)
			for _, size := range []int64{10, 12, 20} {
				w.now = w.now.Add(11 * time.Minute)
				w.wantsCosigned(h.request(log, last, size))
				last = size
			}
			w.now = w.now.Add(c.wait)
			_, err := w.Continue(t.Context(), h.next(c.kept, 25).continues(log, h, c.kept, 20, 25))
			if (err == nil) != c.ok {
				t.Errorf("%v", err)
			}
			want := http.StatusNotFound
			if c.ok {
				want = http.StatusOK
			}
			w.wants("the checkpoint of epoch 2", w.monitor(h.next(0, 0).origin), want)
		})
	}
}

// A witness that is killed at any step of an epoch's beginning has it proved again.
func TestKilledWitnessBeginsEpochAgain_D139(t *testing.T) {
	t.Parallel()
	log := newSigner(t, "api.example")
	w := newWitness(t, log)
	h := newHistory(t, "api.example").grow(20, "leaf")
	w.wantsCosigned(h.request(log, 0, 20))
	next := h.next(18, 25)
	request := next.continues(log, h, 18, 20, 25)
	state := w.State
	for writes := 0; ; writes++ {
		w.State = &dying{State: state, writes: writes}
		_, err := w.Continue(t.Context(), request)
		w.State = state
		if err == nil {
			break
		}
		_, unproved, _ := bytes.Cut(next.continues(log, next, 18, 20, 25), []byte("old "))
		if _, err := w.Cosign(t.Context(), append([]byte("old "), unproved...)); err == nil {
			t.Errorf("after %d writes it is cosigned without proofs", writes)
		}
	}
	w.wants("the checkpoint of epoch 2", w.monitor(next.origin), http.StatusOK)
	next.grow(30, "other")
	c := next.checkpoint(30)
	c.Left = proof.EpochsOf([]proof.Left{{Epoch: 1, Size: 18, Root: h.checkpoint(18).Root}})
	w.wantsCosigned(grown(t, c, next.prove(25, 30), 25, log))
}

// grown is a request for a cosignature of a checkpoint.
func grown(t *testing.T, c proof.Checkpoint, path tlog.TreeProof, old int64, by note.Signer) []byte {
	t.Helper()
	signed, err := c.Sign(by)
	if err != nil {
		t.Fatal(err)
	}
	return proof.Consistency{Old: old, Proof: path, Note: signed}.Format()
}

// dying fails after a number of writes.
type dying struct {
	witness.State
	writes int
}

func (d *dying) Write(name string, b []byte) error {
	if d.writes--; d.writes < 0 {
		return errors.New("killed")
	}
	return d.State.Write(name, b)
}
