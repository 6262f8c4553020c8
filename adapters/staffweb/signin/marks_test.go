package signin_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/staffweb/signin"
)

const toMidnight = 12 * time.Hour // from the surgery's noon

// Marks change at midnight, and the limits are unaffected.
func TestTriesCountAcrossMidnight(t *testing.T) {
	t.Parallel()
	guess := func(t *testing.T, s *surgery, n int, want time.Duration, edits ...func(*signin.Try)) {
		t.Helper()
		for try := range n {
			_, wait := s.signIn(t, guessOf(edits...))
			if last := try == n-1; last && wait != want || !last && wait != 0 {
				t.Errorf("guess %d of %d: wait %v, want %v after the last", try+1, n, wait, want)
			}
		}
	}
	for name, does := range map[string]func(*testing.T, *surgery){
		"of a source": func(t *testing.T, s *surgery) {
			guess(t, s, 4, 0)
			s.Pass(time.Second)
			guess(t, s, 1, lockout)
		},
		"of an account": func(t *testing.T, s *surgery) {
			for n := range 49 {
				guess(t, s, 1, 0, from(fmt.Sprintf("192.0.2.%d", n)))
			}
			s.Pass(time.Second)
			guess(t, s, 1, lockout, from("198.51.100.7"))
		},
		"while locked": func(t *testing.T, s *surgery) {
			guess(t, s, 5, lockout)
			s.Pass(lockout / 2)
			guess(t, s, 1, lockout/2)
			s.Pass(lockout / 2)
			guess(t, s, 1, 2*lockout)
		},
		"through a week": func(t *testing.T, s *surgery) {
			for range 4 {
				guess(t, s, 1, 0)
				s.Pass(23 * time.Hour)
			}
			guess(t, s, 1, lockout)
		},
		"until a success": func(t *testing.T, s *surgery) {
			guess(t, s, 4, 0)
			s.Passwords = passing{s.vault, func() { s.Pass(time.Second) }}
			if in, wait := s.signIn(t, try()); !in {
				t.Fatalf("not signed in, wait %v", wait)
			}
			s.Passwords = noAccounts{}
			guess(t, s, 4, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSurgery(t)
			s.Passwords = noAccounts{} // this test is not about hashing
			s.Pass(toMidnight - time.Second)
			does(t, s)
		})
	}
}

// passing advances the clock during a password check.
type passing struct {
	signin.Checker
	pass func()
}

func (p passing) Check(ctx context.Context, tenant, username, password string) (signin.Holder, bool, error) {
	p.pass()
	return p.Checker.Check(ctx, tenant, username, password)
}

func guessOf(edits ...func(*signin.Try)) signin.Try { return try(append(edits, wrong)...) }

func TestConcurrentTriesAtMidnight(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	checks := &counting{Checker: noAccounts{}}
	s.Passwords = checks
	s.Pass(toMidnight - time.Second)
	for range 3 {
		s.signIn(t, guessOf())
	}
	s.Pass(time.Second)
	var guesses sync.WaitGroup
	for range 20 {
		guesses.Go(func() {
			if _, err := s.SignIn(t.Context(), guessOf()); !errors.Is(err, signin.ErrRefused) {
				t.Error(err)
			}
		})
	}
	guesses.Wait()
	if checks.checks != 5 {
		t.Errorf("%d passwords were looked at, want 5", checks.checks)
	}
}

// A process whose clock is a second ahead counts with tomorrow's key, which the other
// finds.
func TestTriesOfTwoClocksAtMidnight(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.Passwords = noAccounts{}
	s.Pass(toMidnight - time.Second)
	ahead := *s
	ahead.Tries.Now = func() time.Time { return s.Now().Add(time.Second) }
	for n, c := range []struct {
		at   *surgery
		wait time.Duration
	}{{s, 0}, {s, 0}, {&ahead, 0}, {&ahead, 0}, {s, time.Second}} {
		if _, wait := c.at.signIn(t, guessOf()); wait != c.wait {
			t.Errorf("guess %d waits %v, want %v", n+1, wait, c.wait)
		}
	}
	s.Pass(time.Second)
	if _, wait := s.signIn(t, guessOf()); wait != lockout {
		t.Errorf("the fifth guess that was looked at waits %v, want %v", wait, lockout)
	}
}

// A crash of Postgres empties the unlogged tables: the counts restart, and nothing
// fails.
func TestTriesRestartAfterCrash(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.Passwords = noAccounts{}
	for range 5 {
		s.signIn(t, guessOf())
	}
	var logged []string
	must(t, s.pool.QueryRow(t.Context(), `SELECT array_agg(relname::text) FROM pg_class WHERE relname IN ('sign_in_tries', 'source_keys') AND relpersistence <> 'u'`).Scan(&logged))
	if len(logged) > 0 {
		t.Errorf("%v would be in a backup", logged)
	}
	for _, table := range []string{"sign_in_tries", "source_keys"} {
		_, err := s.pool.Exec(t.Context(), `DELETE FROM `+table)
		must(t, err)
	}
	for n := range 5 {
		if _, wait := s.signIn(t, guessOf()); (wait != 0) != (n == 4) {
			t.Errorf("guess %d after the crash waits %v", n+1, wait)
		}
	}
}

func TestOldMarkKeysAreDeleted(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	r := s.replica()
	if in, _ := s.signIn(t, guessOf()); in {
		t.Fatal("signed in with a wrong password")
	}
	want := func(keys ...string) {
		t.Helper()
		must(t, r.Round(t.Context(), false))
		var kept []string
		must(t, s.pool.QueryRow(t.Context(), `SELECT coalesce(array_agg(purpose ORDER BY purpose), '{}') FROM source_keys`).Scan(&kept))
		if fmt.Sprint(kept) != fmt.Sprint(keys) {
			t.Errorf("the keys are of %v, want %v", kept, keys)
		}
	}
	want("log", "tries")
	s.Pass(toMidnight)
	want("tries")
	s.Pass(24*time.Hour - time.Second)
	want("tries")
	s.Pass(time.Second)
	want()
}
