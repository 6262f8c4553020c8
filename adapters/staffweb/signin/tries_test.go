package signin_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/fault"
)

// refusal returns why a sign-in was refused, and when to retry; nil if it succeeded.
func refusal(t *testing.T, err error) *fault.Error {
	t.Helper()
	if err == nil {
		return nil
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || !errors.Is(f, signin.ErrRefused) {
		t.Fatalf("got %v, want a refusal", err)
	}
	return f
}

// signIn tries, and returns the wait until the next attempt; zero if none.
func (s *surgery) signIn(t *testing.T, try signin.Try) (in bool, wait time.Duration) {
	t.Helper()
	entry, err := s.SignIn(t.Context(), try)
	f := refusal(t, err)
	if (f == nil) != (entry.Session != "") {
		t.Fatalf("token %q with the error %v", entry.Session, err)
	}
	if f == nil {
		return true, 0
	}
	if f.RetryAt.IsZero() {
		return false, 0
	}
	return false, f.RetryAt.Sub(s.Now())
}

func TestFiveWrongPasswordsCauseWait_D27(t *testing.T) {
	t.Parallel()
	for _, username := range []string{"dr.lee", "nobody"} { // unknown names alike
		s := newSurgery(t)
		for n := range 5 {
			want := time.Duration(0)
			if n == 4 {
				want = lockout
			}
			if in, wait := s.signIn(t, try(as(username), wrong)); in || wait != want {
				t.Errorf("%s, try %d: in %t, wait %v, want %v", username, n+1, in, wait, want)
			}
		}
		s.Pass(lockout / 3)
		if in, wait := s.signIn(t, try(as(username))); in || wait != lockout-lockout/3 {
			t.Errorf("%s with the right password, during the wait: in %t, wait %v", username, in, wait)
		}
		if in, _ := s.signIn(t, try(as(username), from("198.51.100.7"))); in != (username == "dr.lee") {
			t.Errorf("%s from elsewhere: in %t; one source must not lock another out", username, in)
		}
	}
}

func TestSuccessResetsWait(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	for range 5 {
		s.signIn(t, try(wrong))
	}
	s.Pass(lockout)
	if in, wait := s.signIn(t, try()); !in {
		t.Fatalf("not signed in after the wait: another %v", wait)
	}
	for n := range 4 {
		if _, wait := s.signIn(t, try(wrong)); wait != 0 {
			t.Errorf("try %d after a success waits %v", n+1, wait)
		}
	}
}

func TestWaitDoublesUpToLimit_D27(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.Passwords = noAccounts{} // this test is not about hashing
	for range 4 {
		s.signIn(t, try(wrong))
	}
	for _, times := range []int{1, 2, 4, 8, 16, 16, 16} {
		want := time.Duration(times) * lockout
		_, wait := s.signIn(t, try(wrong))
		if wait != want {
			t.Errorf("waits %v, want %v", wait, want)
		}
		s.Pass(wait)
	}
	s.Pass(24*time.Hour + time.Second)
	if _, wait := s.signIn(t, try(wrong)); wait != 0 {
		t.Errorf("after a day without tries it waits %v", wait)
	}
}

func TestFiftyTriesLockAccount_D27(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.Passwords = noAccounts{} // this test is not about hashing
	for n := range 50 {
		if _, wait := s.signIn(t, try(wrong, from(fmt.Sprintf("192.0.2.%d", n)))); (wait != 0) != (n == 49) {
			t.Errorf("try %d: wait %v", n+1, wait)
		}
	}
	if _, wait := s.signIn(t, try(from("198.51.100.7"))); wait != lockout {
		t.Errorf("from a fresh source it waits %v, want %v", wait, lockout)
	}
	s.Pass(lockout)
	// An attempt that was refused because of the account did not count for the source.
	for n := range 4 {
		if _, wait := s.signIn(t, try(wrong, from("203.0.113.9"))); n == 0 && wait != 2*lockout {
			t.Errorf("wait %v, want %v", wait, 2*lockout)
		}
		s.Pass(16 * lockout)
	}
	other := try(wrong, from("203.0.113.9"))
	other.Tenant = oak
	if _, wait := s.signIn(t, other); wait != 0 {
		t.Errorf("the same username at another practice waits %v", wait)
	}
}

func TestConcurrentTriesStayInLimit_D27(t *testing.T) {
	t.Parallel()
	for _, username := range []string{"dr.lee", "nobody"} {
		s := newSurgery(t)
		checks := &counting{Checker: noAccounts{}} // this test is not about hashing
		s.Passwords = checks
		var guesses sync.WaitGroup
		for range 50 {
			guesses.Go(func() {
				if in, err := s.SignIn(t.Context(), try(as(username), wrong)); in.Session != "" || !errors.Is(err, signin.ErrRefused) {
					t.Errorf("token %q, error %v", in.Session, err)
				}
			})
		}
		guesses.Wait()
		if checks.checks != 5 {
			t.Errorf("%s: %d passwords were verified, want 5", username, checks.checks)
		}
	}
}

func TestEveryAttemptCostsOneHash_D27(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	checks := &counting{Checker: s.vault}
	s.Passwords = checks
	for n, username := range []string{"dr.lee", "nobody", "", "dr.lee\x00", "\xff", strings.Repeat("x", 10_000)} {
		_, err := s.SignIn(t.Context(), try(as(username), wrong))
		if f := refusal(t, err); f.Error() != signin.ErrRefused.Error() || checks.checks != n+1 {
			t.Errorf("%q: %v after %d hashes", username, f, checks.checks)
		}
	}
	before := checks.checks
	nowhere := try(wrong)
	nowhere.Tenant = "no-such-practice"
	_, err := s.SignIn(t.Context(), nowhere)
	if f := refusal(t, err); f.Error() != signin.ErrRefused.Error() || checks.checks != before+1 {
		t.Errorf("a practice that there is not: %v after %d hashes", f, checks.checks-before)
	}
}

func TestOldTriesAreDeletedWithoutNames(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.Passwords = noAccounts{}
	for n := range 20 {
		s.signIn(t, try(as(fmt.Sprintf("guess%d", n)), wrong))
	}
	var kept string
	must(t, s.pool.QueryRow(t.Context(), `SELECT string_agg(t::text, ' ') FROM sign_in_tries t`).Scan(&kept))
	if strings.Contains(kept, "guess") {
		t.Error("usernames are kept as they were typed")
	}
	s.Pass(25 * time.Hour)
	s.signIn(t, try(wrong))
	var rows int
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM sign_in_tries`).Scan(&rows))
	if rows != 2 {
		t.Errorf("%d rows are left, want those of the last try", rows)
	}
}
