package staffweb_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/proof"
)

// signedLog is the logs of the practices, which all have the same made-up leaves. Nothing
// is signed until sign.
type signedLog struct {
	mu     sync.Mutex
	newest proof.Signed // zero if nothing is signed
	stored []tlog.Hash
	leaves int
	asked  []proof.Tree
}

func (l *signedLog) Newest(_ context.Context, of proof.Tree) (proof.Signed, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, of)
	if l.newest.Note == "" {
		return proof.Signed{}, proof.ErrNoCheckpoint
	}
	return l.newest, nil
}

func (l *signedLog) Growth(_ context.Context, _ proof.Tree, first int64, newest proof.Signed) (c proof.Consistency, err error) {
	c.Old = first
	if first > 0 {
		c.Proof, err = tlog.ProveTree(newest.Size, first, l)
	}
	return c, err
}

// ReadHashes implements [tlog.HashReader].
func (l *signedLog) ReadHashes(indexes []int64) (found []tlog.Hash, err error) {
	for _, n := range indexes {
		found = append(found, l.stored[n])
	}
	return found, nil
}

// sign grows the log to a size, and returns its signed checkpoint.
func (l *signedLog) sign(t *testing.T, size int) proof.Signed {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for ; l.leaves < size; l.leaves++ {
		more, err := tlog.StoredHashes(int64(l.leaves), fmt.Append(nil, l.leaves), l)
		must(t, err)
		l.stored = append(l.stored, more...)
	}
	root, err := tlog.TreeHash(int64(size), l)
	must(t, err)
	l.newest = signed(proof.Checkpoint{Origin: proof.Origin{Name: "api.example", Log: uuid.UUID{15: 7}, Epoch: 1}, Size: int64(size), Root: root})
	return l.newest
}

func signed(c proof.Checkpoint) proof.Signed {
	return proof.Signed{Checkpoint: c, Note: c.String() + "\n— api.example AAAAAGFiYw==\n"}
}

const checkpointPage = privacyPage + "/checkpoint"

// The newest checkpoint is a download under a name of its own, and nothing is recorded.
func TestCheckpointPageOffersNewest_D140(t *testing.T) {
	t.Parallel()
	s, b, _ := officer(t)
	b.get(privacyPage).wants(t, http.StatusOK, "", `<a href="`+checkpointPage+`">Keep a checkpoint</a>`)
	b.get(checkpointPage).wants(t, http.StatusOK, "", "No checkpoint of this practice is signed yet.")
	b.get(checkpointPage+"/newest").wants(t, http.StatusNotFound, "", "Nothing to download yet")
	note := s.log.sign(t, 1400).Note
	b.get(checkpointPage).wants(t, http.StatusOK, "", "The newest one covers 1,400 events of this practice.")
	b.get(checkpointPage).wants(t, http.StatusOK, "", `<a href="`+checkpointPage+`/newest" download>Download elm-street-1400.note</a>`)
	answer := b.get(checkpointPage + "/newest")
	if answer.body != note || answer.Header.Get("Content-Type") != "text/plain; charset=utf-8" ||
		answer.Header.Get("Content-Disposition") != `attachment; filename="elm-street-1400.note"` || answer.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the download is %q, %v", answer.body, answer.Header)
	}
	for _, of := range s.log.asked {
		if of != (proof.Tree{Tenant: elm, Kind: proof.Events}) {
			t.Errorf("the log of %v is read", of)
		}
	}
}

func TestCheckpointPageComparesKeptNote_D140(t *testing.T) {
	t.Parallel()
	s, b, _ := officer(t)
	kept := s.log.sign(t, 1000)
	newest := s.log.sign(t, 1400)
	other, changed, longer, earlier := kept.Checkpoint, kept.Checkpoint, newest.Checkpoint, newest.Checkpoint
	other.Origin.Log = uuid.UUID{15: 8}
	changed.Root[0] ^= 1
	longer.Size++
	earlier.Root[0] ^= 1
	const begins, differs = "The log still begins with the checkpoint", "The log does not begin with the checkpoint."
	for name, c := range map[string]struct {
		kept   string
		status int
		text   string
	}{
		"kept before":         {kept.Note, http.StatusOK, begins + ": its first 1,000 events are unchanged."},
		"as browsers send it": {"\r\n " + strings.ReplaceAll(kept.Note, "\n", "\r\n") + "\r\n", http.StatusOK, begins},
		"the newest":          {newest.Note, http.StatusOK, begins + ": its first 1,400 events are unchanged."},
		"changed":             {signed(changed).Note, http.StatusOK, differs + "</strong> Events that it covers are not the same, or the file was changed."},
		"two of one size":     {signed(earlier).Note, http.StatusOK, differs},
		"longer than the log": {signed(longer).Note, http.StatusOK, differs + "</strong> Events that it covers are no longer there."},
		"another log":         {signed(other).Note, http.StatusBadRequest, "This one is of another log"},
		"no checkpoint":       {"<b>hello</b>", http.StatusBadRequest, "Paste the whole checkpoint, as it is in the file"},
		"nothing":             {"", http.StatusBadRequest, "Paste the whole checkpoint, as it is in the file"},
	} {
		form := b.get(checkpointPage).form(t, checkpointPage)
		form.Set("kept", c.kept)
		answer := b.post(checkpointPage, form)
		answer.wants(t, c.status, "", c.text)
		if strings.Contains(answer.body, begins) == strings.Contains(answer.body, differs) && c.status == http.StatusOK {
			t.Errorf("%s: the page has two answers, or none:\n%s", name, answer.body)
		}
		if c.status == http.StatusOK && !strings.Contains(answer.body, "Only <code>frontdesk audit verify</code> on a computer of your own proves") {
			t.Errorf("%s: the page does not name the proof:\n%s", name, answer.body)
		}
		if strings.Contains(answer.body, "<b>hello") {
			t.Errorf("%s: the page shows what was pasted as it is", name)
		}
	}
	b.post(checkpointPage, url.Values{"kept": {kept.Note}}).wants(t, http.StatusForbidden, "", "You signed in again")
}
