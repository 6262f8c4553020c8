package notary_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/notary"
	"frontdesk/domain/proof"
)

// fakeWitness follows c2sp.org/tlog-witness, as far as an honest signer can see.
type fakeWitness struct {
	t        *testing.T
	log      note.Verifier
	cosigner proof.Cosigner
	verifier note.Verifier
	url      string

	mu     sync.Mutex
	known  map[string]proof.Checkpoint
	asked  []string                       // the first line of each request
	answer func(http.ResponseWriter) bool // replaces the witness's answer if it returns true
}

func newFakeWitness(t *testing.T, w *world, name string) *fakeWitness {
	t.Helper()
	private, public, err := proof.GenerateWitnessKey(rand.Reader, name)
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeWitness{t: t, known: map[string]proof.Checkpoint{}}
	if f.cosigner, err = proof.NewCosigner(private, w.signer.Now); err != nil {
		t.Fatal(err)
	}
	if f.verifier, err = proof.NewWitnessVerifier(public); err != nil {
		t.Fatal(err)
	}
	if f.log, err = note.NewVerifier(w.key.Verifier); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

// answers replaces the witness's answers; nil for none.
func (f *fakeWitness) answers(with func(http.ResponseWriter) bool) {
	f.mu.Lock() // a request of a closed connection may still be running
	defer f.mu.Unlock()
	f.answer = with
}

// ServeHTTP answers add-checkpoint.
func (f *fakeWitness) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/add-checkpoint" {
		f.t.Errorf("asked %s %s: %v", r.Method, r.URL, err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	f.asked = append(f.asked, first)
	if f.answer != nil && f.answer(w) {
		return
	}
	asked, err := proof.ParseConsistency(text)
	if err != nil {
		f.t.Errorf("%q: %v", text, err)
	}
	opened, err := note.Open(asked.Note, note.VerifierList(f.log))
	if err != nil {
		http.Error(w, "", http.StatusForbidden)
		return
	}
	c, err := proof.ParseCheckpoint(opened.Text)
	if err != nil {
		f.t.Error(err)
	}
	was := f.known[c.Origin.String()]
	switch {
	case asked.Old != was.Size:
		w.Header().Set("Content-Type", "text/x.tlog.size")
		w.WriteHeader(http.StatusConflict)
		_, _ = fmt.Fprintf(w, "%d\n", was.Size)
	case was.Size > 0 && tlog.CheckTree(asked.Proof, c.Size, c.Root, was.Size, was.Root) != nil:
		http.Error(w, "", http.StatusUnprocessableEntity)
	default:
		f.known[c.Origin.String()] = c
		signed, err := note.Sign(&note.Note{Text: opened.Text}, f.cosigner)
		if err != nil {
			f.t.Error(err)
		}
		_, lines, _ := strings.Cut(string(signed), "\n\n")
		_, _ = fmt.Fprint(w, "— somebody.else AAAAAGFiYw==\n"+lines)
	}
}

// witnessed restarts the signer with witnesses.
func (w *world) witnessed(hashes notary.Hashes, witnesses ...*fakeWitness) {
	w.t.Helper()
	w.begin(func(s *notary.Signer) {
		if hashes != nil {
			s.Hashes = hashes
		}
		for _, f := range witnesses {
			s.Witnesses = append(s.Witnesses, notary.NewWitness(f.url+"/", f.verifier))
		}
	})
}

// wantCosigned checks that the published checkpoint of a practice is signed and
// cosigned.
func (w *world) wantCosigned(tenant string, by ...*fakeWitness) {
	w.t.Helper()
	verifiers := []note.Verifier{by[0].log}
	for _, f := range by {
		verifiers = append(verifiers, f.verifier)
	}
	opened, err := note.Open(w.publisher.notes[proof.Tree{Tenant: tenant, Kind: proof.Events}].Note, note.VerifierList(verifiers...))
	if err != nil || len(opened.Sigs) != len(verifiers) || len(opened.UnverifiedSigs) > 0 {
		w.t.Fatalf("of %q is published %+v, %v; want %d signatures", tenant, opened, err, len(verifiers))
	}
	c, err := proof.ParseCheckpoint(opened.Text)
	if want := w.published(tenant, proof.Events); err != nil || c != want || c.Size != int64(len(w.events().of(tenant))) {
		w.t.Errorf("cosigned as %v, %v, want %v", c, err, want)
	}
}

func TestWitnessesCosignPublishedCheckpoint_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two := newFakeWitness(t, w, "witness.one"), newFakeWitness(t, w, "witness.two")
	w.witnessed(nil, one, two)
	w.quiet()
	w.wantCosigned("north", one, two)
	w.wantCosigned("south", one, two)
	asked := len(one.asked)
	w.events().add("more", "north", "north")
	w.quiet()
	w.wantCosigned("north", one, two)
	if more := one.asked[asked:]; len(more) != 1 || more[0] != "old 4" {
		t.Errorf("asked %q, want north once, from the size that it had", more)
	}
	w.events().add("more", "north", "south")
	w.witnessed(nil, one, two) // another process does not know the cosigned sizes
	w.quiet()
	w.wantCosigned("north", one, two)
	w.wantCosigned("south", one, two)
}

// No answer of a witness delays the publication of a checkpoint, and only a signature
// of its own counts.
func TestNoWitnessHoldsACheckpointUp_D77(t *testing.T) {
	t.Parallel()
	status := func(code int, body string) func(http.ResponseWriter) bool {
		return func(w http.ResponseWriter) bool {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
			return true
		}
	}
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter) bool
		says   string
		alarm  bool
	}{
		"another history": {status(422, ""), "has cosigned another history of api.example/log/", true},
		"an unknown log":  {status(404, ""), "does not know the log or its key (404)", false},
		"an unknown key":  {status(403, ""), "does not know the log or its key (403)", false},
		"no size":         {status(409, "4\n"), "409 without its size", false},
		"busy":            {status(503, ""), "is away", false},
		"a redirect":      {status(302, ""), "it answers 302", false},
		"nonsense":        {status(200, "thanks"), "has not signed with a key that was given", false},
		"somebody else's": {status(200, "— somebody.else AAAAAGFiYw==\n"), "has not signed with a key that was given", false},
		"cut off":         {func(http.ResponseWriter) bool { panic(http.ErrAbortHandler) }, "is away", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			good, bad := newFakeWitness(t, w, "witness.good"), newFakeWitness(t, w, "witness.bad")
			bad.answers(c.answer)
			w.witnessed(nil, bad, good)
			alarms, passing := w.round()
			if says := strings.Join(append(alarms, passing...), "\n"); !strings.Contains(says, c.says) || c.alarm != (len(alarms) > 0) {
				t.Errorf("alarms %q, problems %q", alarms, passing)
			}
			w.wantCosigned("north", good)
			bad.answers(nil)
			w.quiet()
			w.wantCosigned("north", good, bad)
		})
	}
}

// The tables for proofs may be behind, or wrong. That never reaches a witness.
func TestAProofIsCheckedBeforeItIsSent_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := newFakeWitness(t, w, "witness.one")
	var reads, fails int
	wrong := false
	w.witnessed(func(ctx context.Context, tree proof.Tree) tlog.HashReader {
		return tlog.HashReaderFunc(func(at []int64) ([]tlog.Hash, error) {
			if reads++; reads <= fails {
				return nil, errors.New("the prover is behind")
			}
			found, err := w.reader(ctx, tree).ReadHashes(at)
			if wrong && err == nil {
				found[0][0]++
			}
			return found, err
		})
	}, f)
	w.quiet()
	w.events().add("more", "north")
	reads, fails = 0, 2
	w.quiet()
	w.wantCosigned("north", f)
	asked := len(f.asked)
	w.events().add("more", "north")
	wrong = true
	if alarms, passing := w.round(); len(alarms) > 0 || !strings.Contains(strings.Join(passing, "\n"), "audit rebuild --proofs") || len(f.asked) != asked {
		t.Errorf("alarms %q, problems %q, asked %q", alarms, passing, f.asked[asked:])
	}
	w.wantSigned("north")
	wrong = false
	w.quiet()
	w.wantCosigned("north", f)
}
