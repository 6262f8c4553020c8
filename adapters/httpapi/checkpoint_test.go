package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/access"
	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
)

// signedLog is a practice's log with a signed checkpoint.
type signedLog struct {
	newest proof.Signed
	err    error // of the newest checkpoint, or of a proof
	asked  []proof.Tree
	proved []int64
}

func newSignedLog() *signedLog {
	c := proof.Checkpoint{Origin: proof.Origin{Name: "api.example", Log: uuid.UUID{15: 7}, Epoch: 1}, Size: 1400, Root: tlog.Hash{1}}
	return &signedLog{newest: proof.Signed{Checkpoint: c, Note: c.String() + "\n— api.example AAAA\n"}}
}

func (l *signedLog) Newest(_ context.Context, of proof.Tree) (proof.Signed, error) {
	l.asked = append(l.asked, of)
	return l.newest, l.err
}

func (l *signedLog) Growth(_ context.Context, of proof.Tree, first int64, newest proof.Signed) (proof.Consistency, error) {
	l.asked, l.proved = append(l.asked, of), append(l.proved, first)
	c := proof.Consistency{Old: first}
	if first > 0 && first < newest.Size {
		c.Proof = tlog.TreeProof{{1}, {2}}
	}
	return c, l.err
}

// ask calls the endpoint as the application of the practice, or as another caller.
func (l *signedLog) ask(t *testing.T, query string, edits ...func(*access.Caller)) *httptest.ResponseRecorder {
	t.Helper()
	caller := proven(asApplication)
	caller.Known, caller.Enabled = true, true
	for _, edit := range edits {
		edit(&caller)
	}
	api := (&desk{caller: caller}).api(practiceDay(t))
	api.Checkpoints = l
	answer := httptest.NewRecorder()
	api.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet,
		"http://elm-street.frontdesk.example/transactional-api/application/checkpoint"+query, http.NoBody))
	return answer
}

func TestCheckpointIsOfThePracticesEvents_D140(t *testing.T) {
	t.Parallel()
	l := newSignedLog()
	const note = `"checkpoint":"api.example/log/00000000-0000-0000-0000-000000000007/1\n1400\nAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n— api.example AAAA\n","epoch":1,"size":1400`
	const two = `"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="`
	for query, want := range map[string]string{
		"":           "{" + note + "}\n",
		"?from=0":    "{" + note + `,"consistency":[]}` + "\n",
		"?from=1200": "{" + note + `,"consistency":[` + two + "]}\n",
		"?from=1400": "{" + note + `,"consistency":[]}` + "\n",
	} {
		if answer := l.ask(t, query); answer.Code != http.StatusOK || answer.Body.String() != want {
			t.Errorf("%s is answered %d %s, want %s", query, answer.Code, answer.Body, want)
		}
	}
	for _, of := range l.asked {
		if of != (proof.Tree{Tenant: "elm-street", Kind: proof.Events}) {
			t.Errorf("the log of %v is read", of)
		}
	}
	if len(l.proved) != 3 {
		t.Errorf("proved from %v", l.proved)
	}
}

func TestCheckpointRefusals_D140(t *testing.T) {
	t.Parallel()
	const range1400 = "invalid-query: from must be a whole number from 0 to 1400."
	disabled := func(c *access.Caller) { c.Enabled = false }
	behind := fault.New(fault.Unavailable, "unavailable", "The proof of this log is not ready yet. Try again shortly.")
	for name, c := range map[string]struct {
		query  string
		err    error
		edit   func(*access.Caller)
		status int
		says   string
	}{
		"more than the log has":   {"?from=1401", nil, nil, http.StatusBadRequest, range1400},
		"a negative size":         {"?from=-1", nil, nil, http.StatusBadRequest, range1400},
		"no number":               {"?from=all", nil, nil, http.StatusBadRequest, range1400},
		"a number that overflows": {"?from=99999999999999999999", nil, nil, http.StatusBadRequest, range1400},
		"two sizes":               {"?from=1&from=2", nil, nil, http.StatusBadRequest, "invalid-query: from must be given once."},
		"nothing is signed":       {"", proof.ErrNoCheckpoint, nil, http.StatusNotFound, "no-checkpoint: No checkpoint of this practice's log is signed yet. Try again later, or ask the operator."},
		"trees that are behind":   {"", behind, nil, http.StatusServiceUnavailable, behind.Error()},
		"trees that do not fit":   {"", errors.New("the stored trees do not lead to the signed root"), nil, http.StatusInternalServerError, "internal-error: Something went wrong on our side. Quote the X-Request-Id when you report it."},
		"not enabled":             {"", nil, disabled, http.StatusForbidden, "unauthorized: The app has not been granted access to this tenant"},
		"not enabled, malformed":  {"?from=x", nil, disabled, http.StatusForbidden, "unauthorized: The app has not been granted access to this tenant"},
		"on behalf of a user": {"", nil, func(c *access.Caller) { *c = proven(asUser); c.Known, c.Enabled = true, true }, http.StatusForbidden,
			"unauthorized: The app has no permission to call application/checkpoint in user-restricted mode"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newSignedLog()
			l.err = c.err
			edits := []func(*access.Caller){}
			if c.edit != nil {
				edits = append(edits, c.edit)
			}
			answer := l.ask(t, c.query, edits...)
			if said := strings.Join(errorTexts(t, answer.Body.Bytes()), "; "); answer.Code != c.status || said != c.says {
				t.Errorf("answered %d %s", answer.Code, said)
			}
			if wait := answer.Header().Get("Retry-After"); (wait == "") == (c.status == http.StatusServiceUnavailable) {
				t.Errorf("Retry-After is %q", wait)
			}
			if c.status == http.StatusForbidden && len(l.asked) > 0 {
				t.Errorf("a refused call reads the log of %v", l.asked)
			}
		})
	}
}
