package notary_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/notary"
	"frontdesk/domain/proof"
)

func TestEachTreeIsSignedAsItGrows_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.quiet()
	w.wantSigned("", "north", "south")
	logs := map[string]bool{}
	for _, tenant := range []string{"", "north", "south"} {
		logs[w.published(tenant, proof.Events).Origin.String()] = true
	}
	if len(logs) != 3 {
		t.Errorf("the origins are %v, want three", logs)
	}
	before := w.published("north", proof.Events)
	w.events().add("later", "north", "east") // a practice that is new
	w.logs[proof.Access].add("call", "north")
	w.quiet()
	w.wantSigned("", "north", "south", "east")
	after, access := w.published("north", proof.Events), w.published("north", proof.Access)
	if after.Origin != before.Origin || access.Size != 1 || access.Origin.Log == after.Origin.Log {
		t.Errorf("%v goes on as %v; the access record is %v", before, after, access)
	}
	published := w.publisher.count
	w.quiet()
	if w.publisher.count != published {
		t.Error("what has not grown is published again")
	}
}

// tampering is changes to the log after a round, and the expected alarms.
var tampering = map[string]struct {
	tamper func(*fakeLog)
	says   string   // in the alarm
	signed []string // practices that are still signed
	daily  bool     // only a reading of all leaves finds it
}{
	"the end is gone":                  {func(l *fakeLog) { l.leaves = l.leaves[:6] }, "signed up to idx 8 and ends at 6", nil, false},
	"everything is gone":               {func(l *fakeLog) { l.leaves = nil }, "signed up to idx 8 and ends at 0", nil, false},
	"the last leaf is another":         {func(l *fakeLog) { l.leaves[7] = leafOf(8, "north", "edited") }, "practice north is not as it was", []string{"", "south"}, false},
	"rolled back and grown past":       {func(l *fakeLog) { l.leaves = l.leaves[:5]; l.add("again", "south", "", "north", "") }, "practice north is not as it was", nil, false},
	"a gap in what was signed":         {func(l *fakeLog) { l.leaves = append(l.leaves[:7:7], leafOf(9, "north", "x")) }, "idx 8 is missing", nil, false},
	"a gap in what is new":             {func(l *fakeLog) { l.leaves = append(l.leaves, leafOf(10, "north", "x")) }, "idx 9 is missing", nil, false},
	"the head is ahead of the events":  {func(l *fakeLog) { l.head = 9 }, "idx 9 is missing", nil, false},
	"an edited leaf":                   {func(l *fakeLog) { l.leaves[2] = leafOf(3, "south", "edited") }, "practice south is not as it was", []string{"", "north"}, true},
	"the practice of a leaf exchanged": {func(l *fakeLog) { l.leaves[2] = leafOf(3, "north", "first") }, "practice north is not as it was", []string{""}, true},
	"two leaves exchanged": {func(l *fakeLog) {
		l.leaves[1], l.leaves[3] = l.leaves[3], l.leaves[1]
		l.leaves[1].Idx, l.leaves[3].Idx = 2, 4
	}, "practice north is not as it was", []string{"", "south"}, true},
	"a leaf lost in the past": {func(l *fakeLog) { l.leaves = append(l.leaves[:3:3], l.leaves[4:]...) }, "idx 4 is missing", nil, true},
}

func TestChangedLogIsNotSigned_D77(t *testing.T) {
	t.Parallel()
	for name, c := range tampering {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.quiet()
			whole := append([]notary.Leaf(nil), w.events().leaves...)
			before := w.published("north", proof.Events)
			c.tamper(w.events())
			if c.daily {
				w.quiet() // the last leaf is unchanged
				w.now = w.now.Add(24 * time.Hour)
				w.quiet() // starts reading all of them
				w.signer.WaitForReading()
			}
			w.alarmed(c.says)
			if w.events().head == 0 && len(w.events().leaves) >= 8 {
				w.events().add("more", "", "south", "north")
			}
			w.alarmed(c.says)
			w.wantSigned(c.signed...)
			if !strings.Contains(c.says, "south") && w.published("north", proof.Events) != before {
				t.Errorf("north was signed again: %v", w.published("north", proof.Events))
			}
			w.begin(nil) // a restart forgets nothing
			published := w.publisher.count
			w.alarmed(c.says)
			if stopped := strings.Contains(c.says, "idx"); stopped {
				w.events().reads = 0
				if w.alarmed(c.says); w.publisher.count != published || w.events().reads > 2 {
					t.Errorf("what is stopped is published %d times, and read again in %d pages", w.publisher.count-published, w.events().reads)
				}
			}

			if name == "rolled back and grown past" {
				return // there is no going back
			}
			added := w.events().leaves[min(8, len(w.events().leaves)):]
			w.events().head, w.events().leaves = 0, slices.Concat(whole, added) // the change is undone
			if c.says[:3] == "idx" {
				w.events().leaves = whole
			}
			w.events().add("more", "north", "south", "")
			w.begin(func(s *notary.Signer) { s.VerifyAll = true })
			w.quiet()
			w.wantSigned("", "north", "south")
		})
	}
}

// None of these is an error: there is no alarm, and nothing is signed.
func TestTheSignerWaitsWithoutAnAlarm_D77(t *testing.T) {
	t.Parallel()
	for name, trouble := range map[string]func(w *world, l *fakeLog){
		"the database is away":       func(_ *world, l *fakeLog) { l.fails = errors.New("no route to host") },
		"a page cannot be read":      func(_ *world, l *fakeLog) { l.unread = errors.New("canceling statement") },
		"it is a standby":            func(_ *world, l *fakeLog) { l.wait, l.leaves = "it is a standby", l.leaves[:5] },
		"promoted, and no epoch yet": func(_ *world, l *fakeLog) { l.wait, l.leaves = "no epoch has begun", l.leaves[:5] },
		"promoted between the look and the reading": func(_ *world, l *fakeLog) {
			l.head, l.leaves = 8, l.leaves[:5]
			l.onLook = func(looks int) {
				if looks%2 == 0 {
					l.epoch += 2
				}
			}
		},
		"nobody takes checkpoints": func(w *world, _ *fakeLog) { w.publisher.fails = errors.New("read-only") },
		"the disk is away":         func(w *world, l *fakeLog) { l.add("more", "north"); _ = os.RemoveAll(w.dir) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.quiet()
			whole := append([]notary.Leaf(nil), w.events().leaves...)
			before := w.published("north", proof.Events)
			w.events().add("more", "north")
			w.events().looks = 0
			trouble(w, w.events())
			if alarms, passing := w.round(); len(alarms) > 0 || len(passing) == 0 || w.published("north", proof.Events) != before {
				t.Fatalf("alarms %q, problems %q, published %v", alarms, passing, w.published("north", proof.Events))
			}
			w.logs[proof.Events] = &fakeLog{w: w, leaves: whole}
			w.signer.Sources[proof.Events], w.publisher.fails = w.logs[proof.Events], nil
			if err := os.MkdirAll(w.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			w.events().add("more", "north", "south")
			if name == "the disk is away" { // the state stays as it was read
				w.events().leaves = append(w.events().leaves[:9], leafOf(10, "north", "more"), leafOf(11, "south", "more"))
			}
			w.quiet()
			w.wantSigned("", "north", "south")
		})
	}
}

// A signer that dies continues with the same checkpoints, at whatever step it was.
func TestAKilledSignerSignsTheSame_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publisher.fails = errors.New("killed before it was published")
	w.round()
	saved, err := os.ReadFile(filepath.Join(w.dir, "state"))
	if err != nil || len(w.publisher.notes) > 0 {
		t.Fatalf("published %v; the state: %v", w.publisher.notes, err)
	}
	w.publisher.fails = nil
	if err := os.WriteFile(filepath.Join(w.dir, "state.new"), saved[:20], 0o600); err != nil { // killed while it saved
		t.Fatal(err)
	}
	w.begin(nil)
	w.quiet()
	w.wantSigned("", "north", "south")
	first := w.publisher.notes
	w.publisher.notes = map[proof.Tree]notary.Published{}
	w.begin(nil) // killed after it was published
	w.quiet()
	if diff := cmp.Diff(first, w.publisher.notes); diff != "" {
		t.Error(diff)
	}
}

func TestStateIsOfOneSignerAndDatabase_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.quiet()
	north := w.published("north", proof.Events)
	refused := func(says string) {
		t.Helper()
		if err := w.tryBegin(nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("it begins with %v, want %q", err, says)
		}
	}
	state := filepath.Join(w.dir, "state")
	whole, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(state, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(whole[:len(whole)-9])
	refused("is damaged")
	write([]byte(strings.Replace(string(whole), `"idx":8`, `"idx":7`, 1)))
	refused("is damaged")
	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	refused("remembers nothing")
	w.begin(func(s *notary.Signer) { s.Adopt = true })
	w.quiet()
	if w.published("north", proof.Events) != north {
		t.Errorf("%v goes on as %v", north, w.published("north", proof.Events))
	}

	private, err := notary.MakeKey("api.example", proof.Salt{1})
	if err != nil {
		t.Fatal(err)
	}
	if w.key, err = notary.ParseKey(private); err != nil {
		t.Fatal(err)
	}
	refused("is of another key")
	w.begin(func(s *notary.Signer) { s.ChangeKey = true })
	w.quiet()
	if w.published("north", proof.Events) != north {
		t.Error("with another key it is another checkpoint")
	}
}

// By the salt, each practice has one log of each kind. A folder, or published checkpoints, of
// another salt would be a second history.
func TestSignerKeepsToOneSalt_D139(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.quiet()
	for tree, p := range w.publisher.notes {
		c, err := proof.ParseNote(p.Note)
		if want := w.key.Salt.Log(tree); err != nil || c.Origin.Log != want {
			t.Errorf("%v is signed as %v, want %v", tree, c.Origin, want)
		}
	}
	salted := w.key
	w.key.Salt = proof.Salt{2}
	if err := w.tryBegin(nil); err == nil || !strings.Contains(err.Error(), "of logs with another salt") {
		t.Errorf("with the folder of another salt: %v", err)
	}
	w.dir = t.TempDir()
	if err := w.tryBegin(func(s *notary.Signer) { s.Adopt = true }); err == nil || !strings.Contains(err.Error(), "signed for other logs") {
		t.Errorf("at the checkpoints of another salt: %v", err)
	}
	w.key = salted
	w.begin(func(s *notary.Signer) { s.Adopt = true })
	w.quiet()
}

// Folders and keys of an earlier form are refused with a sentence.
func TestEarlierFormsAreRefused_D139(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.quiet()
	file := filepath.Join(w.dir, "state")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, state, _ := strings.Cut(string(text), "\n")
	state = strings.Replace(state, `"form":2,`, "", 1)
	sum := sha256.Sum256([]byte(state))
	if err := os.WriteFile(file, []byte(hex.EncodeToString(sum[:])+"\n"+state), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.tryBegin(nil); err == nil || !strings.Contains(err.Error(), "of an earlier form") {
		t.Errorf("a state of an earlier form: %v", err)
	}
	private, err := notary.MakeKey("api.example", proof.Salt{1})
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(private, "\n")
	if _, err := notary.ParseKey(first); err == nil || !strings.Contains(err.Error(), "has no salt") {
		t.Errorf("a key of an earlier form: %v", err)
	}
}

// The state of a thousand practices is one small file.
func TestAThousandPracticesAreOneFile_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.events().page = 1000
	for n := range 1000 {
		w.events().add("one", "practice-"+strings.Repeat("x", n%20)+string(rune('a'+n%26))+strings.Repeat("y", n/26))
	}
	w.quiet()
	info, err := os.Stat(filepath.Join(w.dir, "state"))
	if trees := len(w.publisher.notes); err != nil || trees < 900 || info.Size() > int64(trees)*400 {
		t.Errorf("%d trees of few leaves take %d bytes, %v", trees, info.Size(), err)
	}
}

// A clock that was ahead for a while must not delay the daily reading for years.
func TestAClockThatWasAheadEndsNoReading_D77(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.quiet()
	right := w.now
	w.now = right.AddDate(10, 0, 0)
	w.quiet()
	w.signer.WaitForReading()
	w.quiet()
	w.now = right
	w.events().leaves[2] = leafOf(3, "south", "edited")
	w.quiet()
	w.signer.WaitForReading()
	w.alarmed("practice south is not as it was")
}
