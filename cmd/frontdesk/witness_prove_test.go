//go:build prove

package main_test

import (
	"bufio"
	"bytes"
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/domain/proof"
)

// witnessProcess is a witness that runs as a process of its own.
type witnessProcess struct {
	t       *testing.T
	args    []string
	vkey    string
	process *exec.Cmd
	exited  chan struct{} // closed once the process has ended
	url     string
	said    kept
}

var servedAt = regexp.MustCompile(`"url":"([^"]+)"`)

// newWitness makes a witness of the logs of a key, and starts it.
func newWitness(t *testing.T, logKey string) *witnessProcess {
	t.Helper()
	dir := t.TempDir()
	key, state := filepath.Join(dir, "key"), filepath.Join(dir, "state")
	made, err := exec.CommandContext(t.Context(), testworld.Binary(t), "keys", "make-witness-key", "--name", "witness.example", "--out", key).Output()
	if err := errors.Join(err, os.Mkdir(state, 0o700)); err != nil {
		t.Fatal(err)
	}
	w := &witnessProcess{t: t, vkey: strings.TrimSpace(string(made)), args: []string{"witness", "--key-file", key, "--state", state, "--log-key", logKey}}
	w.start("--listen", "127.0.0.1:0", "--new")
	w.args = append(w.args, "--listen", strings.TrimPrefix(w.url, "http://"))
	t.Cleanup(w.kill)
	return w
}

// start starts the process, and waits until it serves.
func (w *witnessProcess) start(more ...string) {
	w.t.Helper()
	w.process = exec.CommandContext(context.WithoutCancel(w.t.Context()), testworld.Binary(w.t), append(w.args, more...)...)
	says, err := w.process.StderrPipe()
	if err := errors.Join(err, w.process.Start()); err != nil {
		w.t.Fatal(err)
	}
	process, exited, url := w.process, make(chan struct{}), make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(io.TeeReader(says, &w.said)); lines.Scan(); {
			if at := servedAt.FindStringSubmatch(lines.Text()); at != nil {
				url <- at[1]
			}
		}
		_ = process.Wait()
		close(exited)
	}()
	w.exited = exited
	select {
	case w.url = <-url:
	case <-exited:
		w.t.Fatalf("the witness has exited: %s", w.said.String())
	}
}

func (w *witnessProcess) kill() {
	_ = w.process.Process.Kill()
	<-w.exited
}

// historySender sends one history of a log to a witness, leaf by leaf.
type historySender struct {
	t      *testing.T
	name   string
	origin proof.Origin
	by     note.Signer
	hashes []tlog.Hash
	size   int64

	cosigned []proof.Checkpoint // that the witness has answered
	sizes    []int64            // that it has declared to be the last one
}

// ReadHashes returns hashes as tlog numbers them.
func (s *historySender) ReadHashes(at []int64) (found []tlog.Hash, err error) {
	for _, n := range at {
		found = append(found, s.hashes[n])
	}
	return found, nil
}

func (s *historySender) grow(what string) {
	more, err := tlog.StoredHashes(s.size, fmt.Appendf(nil, "%s %d", what, s.size), s)
	if err != nil {
		s.t.Error(err)
	}
	s.hashes, s.size = append(s.hashes, more...), s.size+1
}

// request makes a request for a cosignature of all leaves.
func (s *historySender) request(old int64) (proof.Checkpoint, []byte, error) {
	root, err := tlog.TreeHash(s.size, s)
	if err != nil {
		return proof.Checkpoint{}, nil, err
	}
	c := proof.Checkpoint{Origin: s.origin, Size: s.size, Root: root}
	signed, err := c.Sign(s.by)
	if err != nil {
		return c, nil, err
	}
	request := proof.Consistency{Old: old, Note: signed}
	if old > 0 && old <= s.size {
		request.Proof, err = tlog.ProveTree(s.size, old, s)
	}
	return c, request.Format(), err
}

// send continues the history until ctx ends, as a signer does: from the witness's own size
// on.
func (s *historySender) send(ctx context.Context, url string) {
	last := int64(0)
	for ctx.Err() == nil {
		for s.size <= last {
			s.grow(s.name)
		}
		c, body, err := s.request(last)
		if err != nil {
			s.t.Error(err)
			return
		}
		status, answer, err := post(ctx, url, body)
		switch {
		case err != nil: // it is being killed, or started again
		case status == http.StatusOK:
			s.cosigned, s.sizes = append(s.cosigned, c), append(s.sizes, c.Size)
			last = c.Size
			s.grow(s.name)
		case status == http.StatusConflict:
			if _, err := fmt.Sscanf(answer, "%d\n", &last); err != nil {
				s.t.Errorf("the witness answers %q", answer)
			}
			s.sizes = append(s.sizes, last)
		case status == http.StatusUnprocessableEntity && s.name == "second":
			last = 0
		default:
			s.t.Errorf("%s: the witness answers %d %s", s.name, status, answer)
		}
	}
}

func post(ctx context.Context, url string, body []byte) (status int, answer string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/add-checkpoint", bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// TestProveThatAKilledWitnessTakesNothingBack kills a witness with SIGKILL while the holder
// of a log's key sends it two histories. Its cosignatures are all of one of them, and it
// never reports a smaller size than before.
func TestProveThatAKilledWitnessTakesNothingBack_D78(t *testing.T) {
	t.Parallel()
	private, public, err := note.GenerateKey(cryptorand.Reader, "api.example")
	if err != nil {
		t.Fatal(err)
	}
	key, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	w := newWitness(t, public)
	origin := proof.Origin{Name: "api.example", Log: uuid.New(), Epoch: 1}
	first := &historySender{t: t, name: "first", origin: origin, by: key}
	for range 10 {
		first.grow("shared")
	}
	second := &historySender{t: t, name: "second", origin: origin, by: key, size: first.size, hashes: append([]tlog.Hash(nil), first.hashes...)}
	for _, old := range []int64{0, 10} {
		_, body, err := first.request(old)
		if err != nil {
			t.Fatal(err)
		}
		if status, answer, err := post(t.Context(), w.url, body); status != http.StatusOK || err != nil {
			t.Fatal(status, answer, err)
		}
		first.grow(first.name)
	}
	ctx, stop := context.WithCancel(t.Context())
	var sending sync.WaitGroup
	sending.Go(func() { first.send(ctx, w.url) })
	sending.Go(func() { second.send(ctx, w.url) })
	kills := provetest.Pick(10, 40)
	for range kills {
		time.Sleep(time.Duration(20+rand.IntN(150)) * time.Millisecond) // a kill at any moment
		w.kill()
		w.start()
	}
	stop()
	sending.Wait()
	provetest.Tried(t, kills, "kills")
	provetest.Tried(t, len(first.cosigned), "checkpoints")
	t.Logf("%d checkpoints of one history were cosigned, and %d of the other", len(first.cosigned), len(second.cosigned))
	if len(first.cosigned) < kills || len(second.cosigned) > 0 {
		t.Error("the witness has cosigned too few, or two histories")
	}
	for _, sender := range []*historySender{first, second} {
		for n := 1; n < len(sender.sizes); n++ {
			if sender.sizes[n] < sender.sizes[n-1] {
				t.Errorf("the witness has cosigned %d, and then reports %d", sender.sizes[n-1], sender.sizes[n])
			}
		}
	}
}
