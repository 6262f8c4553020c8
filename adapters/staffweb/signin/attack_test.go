package signin_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/adapters/staffweb/signin/signintest"
	"frontdesk/commands"
	"frontdesk/domain/staff"
)

// A failed passkey is recorded like a wrong password.
func TestFailedPasskeyIsRecorded_D65(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	r := s.replica()
	k := s.holds(t, elm, s.lee)
	signs := func(k interface {
		Sign(t *testing.T, asked []byte) string
	}, a signin.Ask,
	) {
		t.Helper()
		options, kept, err := s.Passkeys.BeginLogin(a, nil)
		must(t, err)
		refused(t, string(a.Purpose), s.shows(t, a, kept, k.Sign(t, options)))
	}
	wrongOrigin := k.Copy()
	wrongOrigin.Origin = "https://staff.example.evil"
	signs(wrongOrigin, ask())
	nobodys := k.Copy()
	nobodys.User = make([]byte, 16)
	signs(nobodys, ask()) // its claimed owner does not exist
	stranger := k.Copy()
	other := uuid.New()
	stranger.User = other[:]
	signs(stranger, ask())
	second := ask(func(a *signin.Ask) { a.Purpose, a.Member, a.Binding = signin.AfterPassword, s.lee, "a step" })
	passkeys, err := s.Passkeys.List(t.Context(), elm, s.lee)
	must(t, err)
	options, kept, err := s.Passkeys.BeginLogin(second, passkeys)
	must(t, err)
	refused(t, "the second step", s.shows(t, second, kept, wrongOrigin.Sign(t, options)))
	refused(t, "nothing was signed", s.shows(t, second, kept, "{}"))
	must(t, r.Round(t.Context(), false))
	s.wantEvents(t, "sign-in-failed", 1, `"staff":"`+s.lee.String()+`"`, `"passkey":1`, `"password-and-passkey":1`)
}

// The credential of a sign-in is recorded, whatever was tried before it.
func TestRecordsPasswordAndPasskey_D65(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	r := s.replica()
	k := s.holds(t, elm, s.lee)
	in, err := s.SignIn(t.Context(), try())
	must(t, err)
	must(t, r.Round(t.Context(), false))
	s.wantEvents(t, "signed-in", 0) // the right password alone does not sign in
	passkeys, err := s.Passkeys.List(t.Context(), elm, s.lee)
	must(t, err)
	second := ask(func(a *signin.Ask) { a.Purpose, a.Member, a.Binding = signin.AfterPassword, s.lee, in.Step })
	options, kept, err := s.Passkeys.BeginLogin(second, passkeys)
	must(t, err)
	must(t, s.shows(t, second, kept, k.Sign(t, options)))
	must(t, r.Round(t.Context(), false))
	s.wantEvents(t, "signed-in", 1, `"how":"password-and-passkey"`)
	must(t, s.signs(t, k, ask()))
	must(t, r.Round(t.Context(), false))
	s.wantEvents(t, "signed-in", 2, `"how":"passkey"`)
}

// The right password resets the attempts although a passkey is still required. That
// does not help a guesser: only the right password does it, and then it is known
// already.
func TestPasskeyDoesNotHelpGuessing_D45(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.holds(t, elm, s.lee)
	for n := range 5 {
		if _, wait := s.signIn(t, try(wrong)); (wait > 0) != (n == 4) {
			t.Errorf("try %d: wait %s", n+1, wait)
		}
	}
	_, err := s.SignIn(t.Context(), try())
	if !errors.Is(err, signin.ErrRefused) {
		t.Errorf("the right password is looked at while the account is locked: %v", err)
	}
	s.Pass(lockout)
	in, err := s.SignIn(t.Context(), try())
	if err != nil || in.Session != "" || in.Device != "" || in.Step == "" {
		t.Errorf("got %+v, %v", in, err)
	}
}

// A known browser must show the passkey as well.
func TestKnownBrowserNeedsPasskey_D66(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	known, err := s.SignIn(t.Context(), try())
	must(t, err)
	s.holds(t, elm, s.lee)
	in, err := s.SignIn(t.Context(), try(with(known.Device)))
	if err != nil || in.Session != "" || in.Device != "" || in.Step == "" {
		t.Errorf("got %+v, %v", in, err)
	}
}

// A signature is accepted on one replica only, even at the same moment.
func TestOneReplicaAcceptsSignature_D66(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	k := s.holds(t, elm, s.lee)
	k.NoCount, k.Count = true, 0
	_, err := s.pool.Exec(t.Context(), `UPDATE staff_passkeys SET sign_count = 0`) // as that of a phone, which never counts
	must(t, err)
	options, kept, err := s.Passkeys.BeginLogin(ask(), nil)
	must(t, err)
	signed := k.Sign(t, options)
	const replicas = 8
	errs := make(chan error, replicas)
	for range replicas {
		service := s.Service
		service.Guesses = signin.NewGuesses(s.Now)
		go func() {
			_, err := service.SignInByPasskey(context.WithoutCancel(t.Context()), signin.PasskeyResponse{Ask: ask(), Kept: kept, Answer: signed, Source: "192.0.2.1"})
			errs <- err
		}()
	}
	in := 0
	for range replicas {
		if err := <-errs; err == nil {
			in++
		} else {
			refused(t, "replayed", err)
		}
	}
	if in != 1 {
		t.Errorf("%d were let in", in)
	}
}

// Waiting attempts keep only the counted values in memory, and nothing else of the
// request.
func TestAttemptKeepsNoRequest_D45(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	r := s.replica()
	form := "dr.lee" + strings.Repeat("x", 64<<10)
	r.Failed(t.Context(), signin.Attempt{Tenant: elm, Username: form[:6]})
	if got := r.FirstUsername(); got != "dr.lee" || unsafe.StringData(got) == unsafe.StringData(form) {
		t.Error("the whole form is kept in memory")
	}
}

// Hashing takes 46 MiB and a core, so a newly chosen password waits for its turn as
// well.
func TestNewPasswordWaitsForItsTurn_D27(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	queue := signin.QueueOf(1)
	vault := signin.PasswordStore{DB: postgres.On(s.pool), Queue: queue, Cost: signintest.Cheap}
	end, err := queue.Hold(t.Context())
	must(t, err)
	queue.Limit = time.Millisecond
	if _, err := vault.Keep(t.Context(), elm, s.lee, "three random words"); !errors.Is(err, signin.ErrBusy) {
		t.Errorf("while another is hashed: %v", err)
	}
	end()
	queue.Limit = time.Hour
	_, err = vault.Keep(t.Context(), elm, s.lee, "three random words")
	must(t, err)
}

// A thief who is adding a passkey while a manager resets the account adds none, even if
// its owner has chosen a password again in between.
func TestResetCancelsNewPasskey_D66(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	in, err := s.SignIn(t.Context(), try())
	must(t, err)
	thief, found, err := s.Sessions.Find(t.Context(), elm, in.Session)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	must(t, s.appends(t, staff.Reset{}))
	add := func() error {
		return commands.Desk{Store: s.store}.AddPasskey(t.Context(), commands.AddPasskey{
			Tenant: elm, Staff: s.lee, With: thief.Credential, Passkey: staff.PasskeyAdded{Passkey: staff.PasskeyID{UUID: uuid.New()}, Name: "Mine"},
		})
	}
	if err := add(); !errors.Is(err, staff.ErrPasswordEnded) {
		t.Errorf("after the reset: %v", err)
	}
	must(t, s.appends(t, staff.PasswordSet{Credential: staff.CredentialID{UUID: uuid.New()}}))
	if err := add(); !errors.Is(err, staff.ErrPasswordEnded) {
		t.Errorf("after the owner has come back: %v", err)
	}
}
