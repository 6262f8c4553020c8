package signin_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

func TestJournalRecordsSessions_D65(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	r := s.replica()
	ctx := event.WithMetadata(t.Context(), event.Metadata{RequestID: "request-7"})
	in, err := s.SignIn(ctx, try())
	must(t, err)
	session, found, err := s.Sessions.Find(t.Context(), elm, in.Session)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	must(t, s.SignOut(t.Context(), elm, session))
	s.wantEvents(t, "signed-in", 0) // the answer does not wait for it
	must(t, r.Round(t.Context(), false))
	byLee := `"actor":{"kind":"staff","id":"` + s.lee.String() + `"}`
	s.wantEvents(t, "signed-in", 1, byLee, `"requestId":"request-7"`, `"how":"password"`, `"session":"`+session.ID.String()+`"`)
	s.wantEvents(t, "signed-out", 1, byLee, `"session":"`+session.ID.String()+`"`)
}

func TestFailuresAreRecordedOnceAMinute_D65(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.Passwords = noAccounts{}
	r, other := s.replica(), s.replica() // two replicas share the minute
	round := func() { must(t, r.Round(t.Context(), false)); must(t, other.Round(t.Context(), false)) }
	guess := func(n int, at *replica) {
		s.Journal = at.Journal
		for range n {
			s.signIn(t, try(wrong))
		}
	}
	guess(1, r)
	round()
	s.wantEvents(t, "sign-in-failed", 1, `"tries":{"password":1}`, `"actor":{"kind":"service","id":"frontdesk"}`, `"staff":"`+s.lee.String()+`"`)
	guess(1, r)
	guess(2, other)
	for range 3 {
		s.Pass(15 * time.Second)
		round()
	}
	s.wantEvents(t, "sign-in-failed", 1)
	s.Pass(15 * time.Second)
	round()
	s.wantEvents(t, "sign-in-failed", 2)
	s.Pass(time.Minute)
	round()
	s.wantEvents(t, "sign-in-failed", 3)
	all := strings.Join(s.storedEvents(t, "sign-in-failed"), "")
	if !strings.Contains(all, `{"password":2}`) || strings.Count(all, `{"password":1}`) != 2 {
		t.Errorf("the tries are %s, want 1, 1 and 2", all)
	}
	guess(1, r) // the fifth
	s.Pass(time.Minute)
	round()
	s.wantEvents(t, "locked-out", 1, `"everywhere":false`)
}

func TestOnlyExistingAccountsHaveEvents_D65(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	checks := &counting{Checker: noAccounts{}}
	s.Passwords = checks
	r := s.replica()
	nowhere := try()
	nowhere.Tenant = "nowhere"
	for _, guess := range []signin.Try{try(), try(as("nobody")), try(as("\xff\x00")), try(as(strings.Repeat("x", 9000))), nowhere} {
		s.signIn(t, guess)
	}
	if waiting := r.Waiting(); waiting != 5 || checks.checks != 5 {
		t.Errorf("%d tries wait to be told after %d looks; an account that there is must not differ before the answer", waiting, checks.checks)
	}
	must(t, r.Round(t.Context(), true))
	s.wantEvents(t, "sign-in-failed", 1, s.lee.String())
	for n := range 45 { // from everywhere
		s.signIn(t, try(from(fmt.Sprintf("192.0.2.%d", n+10))))
	}
	for n := range 4 {
		s.signIn(t, try(from(fmt.Sprintf("198.51.100.%d", n))))
	}
	must(t, r.Round(t.Context(), true))
	s.wantEvents(t, "locked-out", 1, `"everywhere":true`)
	var all string
	must(t, s.pool.QueryRow(t.Context(), `SELECT string_agg(e::text, ' ') FROM events e WHERE name LIKE 'staff.sign%' OR name LIKE 'staff.lock%'`).Scan(&all))
	for _, name := range []string{"dr.lee", "192.0.2", "198.51", "nobody"} {
		if strings.Contains(all, name) || strings.Contains(r.logged.String(), name) {
			t.Errorf("%s stands in the log", name)
		}
	}
}

func TestSourceMarkLastsOneDay_D65(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	mark := func(r *replica, source string) string {
		t.Helper()
		s.Journal = r.Journal
		_, err := s.SignIn(t.Context(), try(from(source)))
		must(t, err)
		must(t, r.Round(t.Context(), false))
		storedEvents := s.storedEvents(t, "signed-in")
		_, after, _ := strings.Cut(storedEvents[len(storedEvents)-1], `"source":"`)
		return after[:16]
	}
	here, there := s.replica(), s.replica()
	first := mark(here, "192.0.2.1")
	if mark(there, "192.0.2.1") != first || mark(here, "192.0.2.2") == first {
		t.Error("marks do not say which sources are equal")
	}
	key := func() (key string) {
		must(t, s.pool.QueryRow(t.Context(), `SELECT string_agg(key::text, ' ') FROM source_keys WHERE purpose = 'log'`).Scan(&key))
		return key
	}
	old := key()
	s.Pass(24 * time.Hour)
	if mark(there, "192.0.2.1") == first {
		t.Error("a source can be recognised on the next day")
	}
	if now := key(); strings.Contains(now, old) || strings.Contains(now, " ") {
		t.Error("the key of a day that is over is still there")
	}
}

func TestJournalKeepsUnsentEntriesBounded_D65(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	r := s.replica(func(j *signin.Journal) { j.Limit = 3 })
	r.away.Store(true)
	for range 5 {
		_, err := s.SignIn(t.Context(), try())
		must(t, err)
	}
	if err := r.Round(t.Context(), false); !errors.Is(err, errAway) || r.Waiting() != 3 {
		t.Errorf("%d wait, error %v", r.Waiting(), err)
	}
	r.away.Store(false)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r.Run(ended) // it is stopped before it has begun
	s.wantEvents(t, "signed-in", 3)
	_, err := s.SignIn(t.Context(), try())
	must(t, err)
	if lost := r.lost(t); lost != 3 {
		t.Errorf("%v are lost, want 3", lost)
	}
}

func TestStoppingJournalFlushesCounts_D65(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.Passwords = noAccounts{}
	r := s.replica()
	s.signIn(t, try(wrong))
	must(t, r.Round(t.Context(), false))
	s.signIn(t, try(wrong))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r.Run(ended)
	s.wantEvents(t, "sign-in-failed", 2)

	lost := s.replica()
	lost.away.Store(true)
	s.signIn(t, try(wrong))
	lost.Run(ended)
	if !strings.Contains(lost.logged.String(), "level=ERROR") || strings.Contains(lost.logged.String(), "dr.lee") {
		t.Errorf("logged is %s", lost.logged)
	}
}

// A hundred existing accounts, each tried once: the practice's budget limits the
// events, and the others wait.
func TestBudgetLimitsEventsOfPractice_D65(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	r := s.replica()
	for range 100 {
		r.Failed(t.Context(), signin.Attempt{Tenant: elm, Staff: staff.ID{UUID: event.NewID()}, How: staff.ByPassword})
	}
	r.Failed(t.Context(), signin.Attempt{Tenant: oak, Staff: staff.ID{UUID: event.NewID()}, How: staff.ByPassword})
	must(t, r.Round(t.Context(), false))
	s.wantEvents(t, "sign-in-failed", 61)
	s.Pass(time.Minute)
	must(t, r.Round(t.Context(), false))
	s.wantEvents(t, "sign-in-failed", 101)
}

func TestAllGuessesCountBySource_D45(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	looks := 0
	guess := func(err error) error {
		return s.Guesses.Try("192.0.2.1", elm, staff.ErrLink, func() error { looks++; return err })
	}
	for range 100 {
		must(t, guess(nil))
	}
	for range 60 {
		if err := guess(staff.ErrLink); !errors.Is(err, staff.ErrLink) {
			t.Fatal(err)
		}
	}
	f := &fault.Error{}
	if err := guess(nil); !errors.As(err, &f) || !errors.Is(err, staff.ErrLink) || !f.RetryAt.After(s.Now()) || looks != 160 {
		t.Errorf("got %v after %d looks, want to wait", err, looks)
	}
	must(t, s.Guesses.Try("192.0.2.2", elm, staff.ErrLink, func() error { return nil }))
	if in, wait := s.signIn(t, try()); in || wait == 0 {
		t.Error("a password can be tried where the guesses are used up")
	}
}
