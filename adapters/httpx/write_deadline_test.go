package httpx_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/httpx"
)

// deadlines records for each write whether the connection had a deadline by then.
type deadlines struct {
	*httptest.ResponseRecorder
	renewed, writes, longest int
}

func (d *deadlines) SetWriteDeadline(until time.Time) error {
	if until.After(clock.System()) {
		d.renewed++
	}
	return nil
}

func (d *deadlines) Write(p []byte) (int, error) {
	d.writes++
	d.longest = max(d.longest, len(p))
	return d.ResponseRecorder.Write(p)
}

func TestEachWriteHasItsOwnDeadline(t *testing.T) {
	t.Parallel()
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	const length = 1<<20 + 1
	httpx.WriteDeadline(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n, err := w.Write(make([]byte, length))
		if n != length || err != nil {
			t.Errorf("written %d, %v", n, err)
		}
	})).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	if w.Body.Len() != length || w.writes != 17 || w.longest > 64<<10 {
		t.Errorf("%d bytes in %d writes of at most %d", w.Body.Len(), w.writes, w.longest)
	}
	if w.renewed != w.writes+2 {
		t.Errorf("%d deadlines for %d writes, the beginning and the end", w.renewed, w.writes)
	}
}

// Reading writes a 100 Continue, and it is unknown how long ago the call came.
func TestReadOfExpectedBodyRenewsDeadline(t *testing.T) {
	t.Parallel()
	for expect, want := range map[string]int{"": 2, "100-continue": 3} {
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader("x"))
		r.Header.Set("Expect", expect)
		httpx.WriteDeadline(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if _, err := r.Body.Read(make([]byte, 1)); err != nil {
				t.Error(err)
			}
		})).ServeHTTP(w, r)
		if w.renewed != want {
			t.Errorf("Expect: %s: %d deadlines, want %d", expect, w.renewed, want)
		}
	}
}
