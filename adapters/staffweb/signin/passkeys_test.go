package signin_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/adapters/staffweb/signin/passkeytest"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

func TestPasskeySignsOwnerIn_D66(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	k := s.holds(t, elm, s.lee)
	options, kept, err := s.Passkeys.BeginLogin(ask(), nil)
	must(t, err)
	in, err := s.SignInByPasskey(t.Context(), signin.PasskeyResponse{Ask: ask(), Kept: kept, Answer: k.Sign(t, options), Source: "192.0.2.1"})
	if err != nil || in.Staff != s.lee || !s.alive(t, elm, in.Session) || in.Device == "" {
		t.Fatalf("signed in as %+v, %v", in, err)
	}
	own, err := s.Passkeys.List(t.Context(), elm, s.lee)
	if err != nil || len(own) != 1 || own[0].UsedAt == nil || !own[0].UsedAt.Equal(s.Now()) {
		t.Errorf("the passkeys are %+v, %v", own, err)
	}
	must(t, s.signs(t, k, ask())) // and again
	k.NoCount, k.Count = true, 0
	refused(t, "a count that has gone to zero", s.signs(t, k, ask()))
}

func TestPasskeyHolderNeedsPasskey_D66(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	k := s.holds(t, elm, s.lee)
	in, err := s.SignIn(t.Context(), try())
	if err != nil || in.Session != "" || in.Device != "" || in.Step == "" {
		t.Fatalf("signed in as %+v, %v", in, err)
	}
	h, found, err := s.Steps.Find(t.Context(), elm, in.Step)
	if err != nil || !found || h.Staff != s.lee {
		t.Errorf("the step is %+v, %t, %v", h, found, err)
	}
	second := ask(func(a *signin.Ask) { a.Purpose, a.Member, a.Binding = signin.AfterPassword, s.lee, in.Step })
	passkeys, err := s.Passkeys.List(t.Context(), elm, s.lee)
	must(t, err)
	options, kept, err := s.Passkeys.BeginLogin(second, passkeys)
	must(t, err)
	must(t, s.shows(t, second, kept, k.Sign(t, options)))
	for name, edit := range map[string]func(*signin.Ask){
		"another purpose":  func(a *signin.Ask) { a.Purpose = signin.ToSignIn },
		"another step":     func(a *signin.Ask) { a.Binding = "another" },
		"another member":   func(a *signin.Ask) { a.Member = staff.ID{UUID: uuid.New()} },
		"another practice": func(a *signin.Ask) { a.Tenant = oak },
	} {
		options, kept, err := s.Passkeys.BeginLogin(second, passkeys)
		must(t, err)
		other := second
		edit(&other)
		refused(t, name, s.shows(t, other, kept, k.Sign(t, options)))
	}
}

func TestStepExpiresAfterFiveMinutes_D66(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.holds(t, elm, s.lee)
	step := func() string {
		t.Helper()
		in, err := s.SignIn(t.Context(), try())
		must(t, err)
		return in.Step
	}
	good := func(tenant, token string) bool {
		t.Helper()
		_, found, err := s.Steps.Take(t.Context(), tenant, token)
		must(t, err)
		return found
	}
	first := step()
	for n := range 6 {
		if got, want := good(elm, first), n < 5; got != want {
			t.Errorf("try %d: found %t", n+1, got)
		}
	}
	other := step()
	if good(oak, other) || good(elm, "") || good(elm, other+"x") {
		t.Error("a step is another's, too")
	}
	s.Pass(signin.StepLifetime)
	if good(elm, other) {
		t.Error("a step does not end")
	}
	for range 30 {
		step()
	}
	var rows int
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM staff_sign_in_steps`).Scan(&rows))
	if rows != 20 {
		t.Errorf("%d steps are kept, want 20", rows)
	}
	last := step()
	must(t, s.appends(t, staff.Reset{}))
	if good(elm, last) {
		t.Error("a step outlives a reset")
	}
}

// appends adds an event of dr.lee.
func (s *surgery) appends(t *testing.T, e event.Event) error {
	t.Helper()
	history, err := s.store.Load(t.Context(), staff.StreamOf(elm, s.lee))
	must(t, err)
	_, err = s.store.Append(t.Context(), event.Change{Stream: staff.StreamOf(elm, s.lee), Expected: len(history), Events: []event.Event{e}})
	return err
}

func TestPasskeySignatureRequirements_D66(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	lee, atOak := s.holds(t, elm, s.lee), s.holds(t, oak, s.staffAt(t, oak))
	for name, edit := range map[string]func(*passkeytest.Key){
		"another origin":        func(k *passkeytest.Key) { k.Origin = "https://staff.example.evil" },
		"another port":          func(k *passkeytest.Key) { k.Origin = "https://staff.example:8443" },
		"no TLS":                func(k *passkeytest.Key) { k.Origin = "http://staff.example" },
		"another relying party": func(k *passkeytest.Key) { k.RP = "example" },
		"nobody verified":       func(k *passkeytest.Key) { k.NoUV = true },
		"another user handle":   func(k *passkeytest.Key) { k.User = atOak.User },
		"no user handle":        func(k *passkeytest.Key) { k.User = nil },
		"another credential":    func(k *passkeytest.Key) { k.ID = atOak.ID },
		"another's key":         func(k *passkeytest.Key) { *k = *atOak; k.ID, k.User = lee.ID, lee.User },
	} {
		k := lee.Copy()
		edit(k)
		refused(t, name, s.signs(t, k, ask()))
	}
	refused(t, "a passkey of another practice", s.signs(t, atOak, ask()))
	refused(t, "at another practice", s.signs(t, lee, ask(func(a *signin.Ask) { a.Tenant = oak })))
	for _, nonsense := range []string{"", "{}", "null", "[]", `{"id":"AA","rawId":"AA","type":"public-key","response":{}}`, strings.Repeat("[", 1000)} {
		_, kept, err := s.Passkeys.BeginLogin(ask(), nil)
		must(t, err)
		refused(t, nonsense, s.shows(t, ask(), kept, nonsense))
	}
	lee.Count += 20
	must(t, s.signs(t, lee, ask()))
}

func TestChallengeWorksOnceForFiveMinutes_D66(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	k := s.holds(t, elm, s.lee)
	options, kept, err := s.Passkeys.BeginLogin(ask(), nil)
	must(t, err)
	signed := k.Sign(t, options)
	_, others, err := s.Passkeys.BeginLogin(ask(), nil)
	must(t, err)
	for name, shown := range map[string]string{"of another browser": others, "none": "", "cut": kept[1:], "longer": kept + "AAAA", "later": later(kept)} {
		refused(t, name, s.shows(t, ask(), shown, signed))
	}
	must(t, s.shows(t, ask(), kept, signed))
	refused(t, "replayed", s.shows(t, ask(), kept, signed))
	refused(t, "signed once more", s.shows(t, ask(), kept, k.Sign(t, options)))

	options, kept, err = s.Passkeys.BeginLogin(ask(), nil)
	must(t, err)
	signed = k.Sign(t, options)
	s.Pass(signin.ChallengeLifetime)
	refused(t, "too late", s.shows(t, ask(), kept, signed))
	must(t, s.signs(t, k, ask()))
	var rows int
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM staff_challenges`).Scan(&rows))
	if rows != 1 { // expired challenges are deleted, and unsigned ones were never stored
		t.Errorf("%d challenges are remembered, want 1", rows)
	}
}

func TestFallingCountRevealsCopy_D66(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	k := s.holds(t, elm, s.lee)
	thief := k.Copy()
	must(t, s.signs(t, k, ask()))
	must(t, s.signs(t, k, ask()))
	refused(t, "the copy", s.signs(t, thief, ask()))
	if logged := s.logged.String(); !strings.Contains(logged, "the count of a passkey has gone back") || strings.Contains(logged, "dr.lee") {
		t.Errorf("the operator is told %q", logged)
	}
	must(t, s.signs(t, k, ask()))
}

func TestPasskeysEndWithMember_D66(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]event.Event{"deactivated": staff.Deactivated{}, "reset": staff.Reset{}, "removed": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSurgery(t)
			k := s.holds(t, elm, s.lee)
			own, err := s.Passkeys.List(t.Context(), elm, s.lee)
			must(t, err)
			if ends == nil {
				ends = staff.PasskeyRemoved{Passkey: own[0].ID}
			}
			must(t, s.appends(t, ends))
			refused(t, name, s.signs(t, k, ask()))
		})
	}
}

func TestPasskeyGuessesAreLimited_D66(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	k := s.holds(t, elm, s.lee)
	for range 60 {
		refused(t, "nonsense", s.shows(t, ask(), "", "{}"))
	}
	if err := s.signs(t, k, ask()); !errors.Is(err, signin.ErrPasskey) || !strings.Contains(fmt.Sprint(err), "passkey") {
		t.Errorf("after 60 in vain: %v", err)
	}
	s.Pass(time.Minute)
	must(t, s.signs(t, k, ask()))
}

func TestPasskeyConfirmsOwnSession_D66(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	in, err := s.SignIn(t.Context(), try())
	must(t, err)
	session := func() signin.Session {
		t.Helper()
		session, found, err := s.Sessions.Find(t.Context(), elm, in.Session)
		if err != nil || !found {
			t.Fatalf("no session: %v", err)
		}
		return session
	}
	s.Pass(10 * time.Minute)
	_, err = s.Confirm(t.Context(), try(wrong), session())
	if !errors.Is(err, signin.ErrRefused) || session().ConfirmedAt.Equal(s.Now()) {
		t.Errorf("a wrong password: %v", err)
	}
	for range 8 { // a known browser has its tries back
		old := in.Session
		in, err = s.Confirm(t.Context(), try(with(in.Device)), session())
		must(t, err)
		if s.alive(t, elm, old) {
			t.Fatal("the token from before the confirmation is valid")
		}
	}
	if !session().ConfirmedAt.Equal(s.Now()) {
		t.Errorf("confirmed at %v, want %v", session().ConfirmedAt, s.Now())
	}
	s.Pass(10 * time.Minute)
	k := s.holds(t, elm, s.lee)
	if _, err = s.Confirm(t.Context(), try(with(in.Device)), session()); !errors.Is(err, signin.ErrRefused) {
		t.Errorf("the password of somebody who has a passkey: %v", err)
	}
	a := ask(func(a *signin.Ask) { a.Purpose, a.Member, a.Binding = signin.ToConfirm, s.lee, in.Session })
	passkeys, err := s.Passkeys.List(t.Context(), elm, s.lee)
	must(t, err)
	options, kept, err := s.Passkeys.BeginLogin(a, passkeys)
	must(t, err)
	old := session()
	in.Session, err = s.ConfirmByPasskey(t.Context(), signin.PasskeyResponse{Ask: a, Kept: kept, Answer: k.Sign(t, options)}, old)
	must(t, err)
	if s.alive(t, elm, old.Token) || session().ID != old.ID || session().FormToken("x") != old.FormToken("x") {
		t.Error("the session has its old token, or is another one, or refuses the forms of other pages")
	}
	if _, err := s.Sessions.Confirm(t.Context(), elm, old.Token); !errors.Is(err, signin.ErrRenewed) {
		t.Errorf("the old token confirms again: %v", err)
	}
	renewed, err := s.Sessions.Renewed(t.Context(), elm, old)
	must(t, err)
	current, err := s.Sessions.Renewed(t.Context(), elm, session())
	must(t, err)
	if !renewed || current {
		t.Errorf("the old token is renewed: %t; the new one: %t", renewed, current)
	}
	if !session().ConfirmedAt.Equal(s.Now()) {
		t.Errorf("confirmed at %v, want %v", session().ConfirmedAt, s.Now())
	}
}

func TestCredentialIsAddedOnce_D66(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	k := s.holds(t, elm, s.lee)
	a := signin.Ask{Purpose: signin.ToAdd, Tenant: elm, Site: here, Member: s.lee, Binding: "a session"}
	options, kept, err := s.Passkeys.BeginRegistration(a, signin.Session{Staff: s.lee, Username: "dr.lee", Name: "Dr Lee"}, nil)
	must(t, err)
	answer := k.Make(t, options)
	made, err := s.Passkeys.FinishRegistration(t.Context(), a, kept, answer)
	must(t, err)
	made.Name = "Again"
	err = commands.Desk{Store: s.store, Staff: projections.Staff{DB: s.pool}}.AddPasskey(t.Context(), commands.AddPasskey{Tenant: elm, Staff: s.lee, With: s.credential(t, s.lee), Passkey: made})
	if !errors.Is(err, staff.ErrPasskeyTaken) {
		t.Errorf("got %v, want %v", err, staff.ErrPasskeyTaken)
	}
	_, err = s.Passkeys.FinishRegistration(t.Context(), a, kept, answer)
	refused(t, "the same challenge again", err)
	k.NoUV = true
	options, kept, err = s.Passkeys.BeginRegistration(a, signin.Session{Staff: s.lee, Username: "dr.lee", Name: "Dr Lee"}, nil)
	must(t, err)
	_, err = s.Passkeys.FinishRegistration(t.Context(), a, kept, k.Make(t, options))
	refused(t, "nobody verified", err)
	_, kept, err = s.Passkeys.BeginRegistration(a, signin.Session{Staff: s.lee, Username: "dr.lee", Name: "Dr Lee"}, nil)
	must(t, err)
	_, err = s.Passkeys.FinishRegistration(t.Context(), a, kept, "{}")
	refused(t, "no answer of an authenticator", err)
}
