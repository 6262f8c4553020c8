package signin_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/projections"
)

// begin signs dr.lee in.
func (s *surgery) begin(t *testing.T) string {
	t.Helper()
	in, err := s.SignIn(t.Context(), try())
	must(t, err)
	if in.Staff != s.lee {
		t.Fatalf("signed in %v, want %v", in.Staff, s.lee)
	}
	return in.Session
}

// alive reports whether a token is a session of the practice.
func (s *surgery) alive(t *testing.T, tenant, token string) bool {
	t.Helper()
	session, found, err := s.Sessions.Find(t.Context(), tenant, token)
	must(t, err)
	if found && (session.Staff != s.lee || session.Username != "dr.lee" || session.Name != "Dr Lee" || session.Token != token) {
		t.Errorf("got %+v", session)
	}
	return found
}

func TestSessionEndsWhenIdleOrOld_D27(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	token := s.begin(t)
	s.Pass(30*time.Minute - time.Second)
	if !s.alive(t, elm, token) {
		t.Fatal("it ended before it was idle for long enough")
	}
	s.Pass(30*time.Minute - time.Second)
	if !s.alive(t, elm, token) {
		t.Fatal("it ended though it was seen")
	}
	s.Pass(30 * time.Minute)
	if s.alive(t, elm, token) {
		t.Error("it lives though it was idle")
	}

	token = s.begin(t)
	for range 12*3 - 1 {
		s.Pass(20 * time.Minute)
		if !s.alive(t, elm, token) {
			t.Fatal("it ended before its time")
		}
	}
	s.Pass(20 * time.Minute)
	if s.alive(t, elm, token) {
		t.Error("it lives longer than any session may")
	}
}

// Even if the clock is set back, the session and the device of a sign-in are not among
// those that end.
func TestNewSessionIsKept_D27(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	for n := range 60 {
		s.Pass(time.Duration(-(n % 2)) * time.Minute)
		if token := s.begin(t); !s.alive(t, elm, token) {
			t.Fatalf("session %d has ended at once", n+1)
		}
		if known, err := s.Devices.Known(t.Context(), try(with(s.device(t)))); !known || err != nil {
			t.Fatalf("device %d is unknown at once: %v", n+1, err)
		}
	}
	var kept int
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM staff_sessions`).Scan(&kept))
	if kept != 20 {
		t.Errorf("%d sessions are kept, want 20", kept)
	}
}

// A page writes at most once a minute, and does not wait for other pages of the
// session.
func TestSessionIsNotedOnceAMinute_D131(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	token := s.begin(t)
	seen := func() (at time.Time) {
		t.Helper()
		must(t, s.pool.QueryRow(t.Context(), `SELECT seen_at FROM staff_sessions`).Scan(&at))
		return at.UTC()
	}
	begun := seen()
	s.Pass(time.Minute - time.Second)
	if !s.alive(t, elm, token) || seen() != begun {
		t.Errorf("a page within a minute is noted at %v", seen())
	}
	s.Pass(time.Second)
	other, err := s.pool.Begin(t.Context())
	must(t, err)
	if _, err := other.Exec(t.Context(), `SELECT FROM staff_sessions FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, found, err := s.Sessions.Find(ctx, elm, token); !found || err != nil {
		t.Errorf("beside another page: found %v, error %v", found, err)
	}
	must(t, other.Rollback(t.Context()))
	if !s.alive(t, elm, token) || seen() != begun.Add(time.Minute) {
		t.Errorf("a page after a minute is noted at %v", seen())
	}
}

func TestSessionFitsOnePractice_D27(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	token := s.begin(t)
	if s.alive(t, oak, token) {
		t.Error("it is good at another practice")
	}
	must(t, s.Sessions.End(t.Context(), oak, token))
	if !s.alive(t, elm, token) {
		t.Error("another practice has ended it")
	}
}

func TestEndedSessionIsRefused(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	token, other := s.begin(t), s.begin(t)
	must(t, s.Sessions.End(t.Context(), elm, token))
	if s.alive(t, elm, token) {
		t.Error("it lives after it was ended")
	}
	if !s.alive(t, elm, other) {
		t.Error("another of the same person ended with it")
	}
	for _, made := range []string{"", "x", token + "x"} {
		if s.alive(t, elm, made) {
			t.Errorf("%q is a session", made)
		}
	}
}

func TestNewPasswordEndsSessions(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	token := s.begin(t)
	directory := projections.Staff{DB: s.pool}
	set := commands.Desk{Store: s.store, Staff: directory, Passwords: s.vault, Now: s.Now}
	_, err := set.SetPassword(t.Context(), commands.SetPassword{Tenant: elm, Username: "dr.lee", Password: "walnut soup boat"})
	must(t, err)
	if s.alive(t, elm, token) {
		t.Error("a session of the old password lives")
	}
	if in, _ := s.signIn(t, try()); in {
		t.Error("the old password is still good")
	}
	var hashes int
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM staff_passwords WHERE tenant = $1`, elm).Scan(&hashes))
	if hashes != 1 {
		t.Errorf("%d hashes are kept, want the last alone", hashes)
	}
}

func TestDeactivationEndsSessions_D14(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	token := s.begin(t)
	deactivate := commands.Desk{Store: s.store, Staff: projections.Staff{DB: s.pool}}
	must(t, deactivate.DeactivateStaff(t.Context(), commands.DeactivateStaff{Tenant: elm, Username: "dr.lee"}))
	if s.alive(t, elm, token) {
		t.Error("the session lives")
	}
	if in, _ := s.signIn(t, try()); in {
		t.Error("who is deactivated signs in")
	}
}

func TestTablesHoldNoSessionTokens_D27(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	token := s.begin(t)
	raw, err := base64.RawURLEncoding.DecodeString(token)
	must(t, err)
	if len(raw) != 32 {
		t.Errorf("a token has %d bytes", len(raw))
	}
	rows, err := s.pool.Query(t.Context(), `SELECT token_hash FROM staff_sessions`)
	must(t, err)
	for rows.Next() {
		var kept []byte
		must(t, rows.Scan(&kept))
		if bytes.Equal(kept, raw) || bytes.Equal(kept, []byte(token)) {
			t.Error("the token itself is kept")
		}
	}
	must(t, rows.Err())
	var events string
	must(t, s.pool.QueryRow(t.Context(), `SELECT string_agg(data || metadata, ' ') FROM events`).Scan(&events))
	for _, secret := range []string{password, "argon2id", token} {
		if strings.Contains(events, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

func TestFormTokenFitsSessionAndPurpose_D27(t *testing.T) {
	t.Parallel()
	one, two := signin.Session{Token: "one"}, signin.Session{Token: "two"}
	token := one.FormToken("sign-out")
	if !one.Owns(token, "sign-out") {
		t.Error("its own token is refused")
	}
	if two.Owns(token, "sign-out") || one.Owns(token, "revoke") || one.Owns("", "sign-out") || one.Owns("one", "sign-out") {
		t.Error("a foreign token is taken")
	}
}

func TestOwnSessionsNewestFirst(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	for range 3 {
		s.begin(t)
		s.Pass(time.Minute)
	}
	own, err := s.Sessions.List(t.Context(), elm, s.lee)
	must(t, err)
	if len(own) != 3 || !own[0].LastSeen.After(own[1].LastSeen) || !own[1].LastSeen.After(own[2].LastSeen) {
		t.Errorf("sessions are %+v", own)
	}
}
