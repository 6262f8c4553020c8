package witness_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/witness"
	"frontdesk/domain/proof"
)

// failing is a state whose disk is full, or whose files were changed.
type failing struct {
	read []byte
	err  error
}

func (f failing) Read(name string) ([]byte, error) {
	if strings.Contains(name, ".") {
		return nil, nil
	}
	return f.read, nil
}
func (f failing) Write(string, []byte) error   { return f.err }
func (f failing) with(w *watched) http.Handler { w.State = f; return w.Witness.Handler(nil) }

func TestCosignsOnlyStoredState_D78(t *testing.T) {
	t.Parallel()
	log := newSigner(t, "api.example")
	w := newWitness(t, log)
	h := newHistory(t, "api.example").grow(9, "leaf")
	w.wantsCosigned(h.request(log, 0, 5))
	whole := w.State
	w.Handler = failing{read: w.monitor(h.origin).Body.Bytes(), err: errors.New("no space left on device")}.with(w)
	answer := w.ask(h.request(log, 5, 9))
	w.wants("a full disk", answer, http.StatusInternalServerError)
	if strings.Contains(answer.Body.String(), "—") || strings.Count(w.log.String(), "no space left") != 1 {
		t.Errorf("the answer is %q, and the log says %q", answer.Body, &w.log)
	}
	w.State = whole
	w.Handler = w.Witness.Handler(nil)
	w.wantsMonitored(h.checkpoint(5), log)
	w.wantsCosigned(h.request(log, 5, 9))
}

func TestWitnessRefusesUnsignedState_D78(t *testing.T) {
	t.Parallel()
	log, other := newSigner(t, "api.example"), newWitness(t)
	w := newWitness(t, log)
	h, second := newHistory(t, "api.example").grow(9, "leaf"), newHistory(t, "api.example").grow(9, "leaf")
	w.wantsCosigned(h.request(log, 0, 5))
	w.wantsCosigned(second.request(log, 0, 5))
	mine, its := w.monitor(h.origin).Body.Bytes(), w.monitor(second.origin).Body.Bytes()
	files, err := filepath.Glob(filepath.Join(w.dir, strings.Repeat("[0-9a-f]", 64)))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	file := files[slices.IndexFunc(files, func(name string) bool { b, _ := os.ReadFile(name); return bytes.Equal(b, mine) })]
	other.Logs = w.Logs
	other.wantsCosigned(h.request(log, 0, 3))
	for name, b := range map[string][]byte{
		"another size": bytes.Replace(mine, []byte("\n5\n"), []byte("\n3\n"), 1), "half of it": mine[:len(mine)/2], "nothing": {},
		"another witness's": other.monitor(h.origin).Body.Bytes(), "another log's": its, "the log's own": noteOf(t, h.request(log, 0, 5)),
	} {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		w.wants(name, w.ask(h.request(log, 5, 9)), http.StatusInternalServerError)
		w.wants(name+", and whoever starts again", w.ask(h.request(log, 0, 9)), http.StatusInternalServerError)
		w.wants(name+", to monitors", w.monitor(h.origin), http.StatusInternalServerError)
	}
	w.wantsCosigned(second.request(log, 5, 9))
	if !strings.Contains(w.log.String(), "was not written by this witness") {
		t.Errorf("the log says %q", &w.log)
	}
}

func TestWitnessStoresNoUnknownLogs_D78(t *testing.T) {
	t.Parallel()
	stranger := newSigner(t, "other.example")
	w := newWitness(t, newSigner(t, "api.example"))
	for range 200 {
		w.wants("a log", w.ask(newHistory(t, "other.example").grow(1, "leaf").request(stranger, 0, 1)), http.StatusNotFound)
	}
	files, err := os.ReadDir(w.dir)
	if err != nil || len(files) != 1 || w.log.Len() > 0 { // the lock
		t.Errorf("kept are %v, %v; the log says %q", files, err, &w.log)
	}
}

func TestInvalidProtocolRequestIsRefused_D78(t *testing.T) {
	t.Parallel()
	w := newWitness(t)
	for call, want := range map[string]int{
		"GET /add-checkpoint": http.StatusMethodNotAllowed, "POST /": http.StatusNotFound, "GET /../lock/checkpoint": http.StatusTemporaryRedirect,
		"GET /lock/checkpoint": http.StatusNotFound, "GET /..%2Flock/checkpoint": http.StatusNotFound, "GET /" + strings.Repeat("A", 64) + "/checkpoint": http.StatusNotFound,
	} {
		method, path, _ := strings.Cut(call, " ")
		answer := httptest.NewRecorder()
		w.ServeHTTP(answer, httptest.NewRequest(method, path, nil))
		w.wants(call, answer, want)
	}
}

// deadline is a connection that records its read deadline.
type deadline struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (d *deadline) SetReadDeadline(t time.Time) error { d.until = t; return nil }

func TestASlowBodyIsWaitedForTenSeconds_D78(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWitness(t)
		answer := &deadline{ResponseRecorder: httptest.NewRecorder()}
		w.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/add-checkpoint", io.MultiReader(strings.NewReader("old 0\n"), late{})))
		w.wants("a body that stops", answer.ResponseRecorder, http.StatusBadRequest)
		if want := clock.Deadline(10 * time.Second); !answer.until.Equal(want) {
			t.Errorf("it is waited for until %v, want %v", answer.until, want)
		}
	})
}

// late is the rest of a body that does not arrive in time.
type late struct{}

func (late) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

func TestSlowBodiesLeaveRoomForOthers_D78(t *testing.T) {
	t.Parallel()
	log := newSigner(t, "api.example")
	w := newWitness(t, log)
	hold, release := io.Pipe()
	var slow sync.WaitGroup
	refused := make(chan int, 200)
	for range 200 {
		slow.Go(func() {
			r := httptest.NewRequest(http.MethodPost, "/add-checkpoint", hold)
			r.RemoteAddr = "192.0.2.66:1000"
			answer := httptest.NewRecorder()
			w.ServeHTTP(answer, r)
			refused <- answer.Code
		})
	}
	for range 100 { // one source has about half of the permits
		if status := <-refused; status != http.StatusServiceUnavailable {
			t.Errorf("one of too many is answered %d", status)
		}
	}
	w.wantsCosigned(newHistory(t, "api.example").grow(3, "leaf").request(log, 0, 3))
	_ = release.Close()
	slow.Wait()
}

func TestAWitnessBeginsOnce_D78(t *testing.T) {
	t.Parallel()
	w, other := newWitness(t), newWitness(t)
	for _, step := range []struct {
		name  string
		key   proof.Cosigner
		isNew bool
		says  string
	}{
		{"a folder that was not mounted", w.Key, false, "holds no state"},
		{"the first time", w.Key, true, ""},
		{"again", w.Key, false, ""},
		{"as if it were new", w.Key, true, "leave --new out"},
		{"with another key", other.Key, false, "keeps its key"},
	} {
		err := witness.Begin(w.State, step.key, step.isNew)
		if (err == nil) != (step.says == "") || err != nil && !strings.Contains(err.Error(), step.says) {
			t.Errorf("%s: %v, want %q", step.name, err, step.says)
		}
	}
}
