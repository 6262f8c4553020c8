package signin_test

import (
	"errors"
	"testing"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/adapters/staffweb/signin/passkeytest"
	"frontdesk/commands"
	"frontdesk/domain/staff"
)

var here = signin.Site{RP: "staff.example", Origin: "https://staff.example"}

// ask is for signing in by passkey, unless the edits change it.
func ask(edits ...func(*signin.Ask)) signin.Ask {
	a := signin.Ask{Purpose: signin.ToSignIn, Tenant: elm, Site: here}
	for _, edit := range edits {
		edit(&a)
	}
	return a
}

// holds gives a member a passkey.
func (s *surgery) holds(t *testing.T, tenant string, member staff.ID) *passkeytest.Key {
	t.Helper()
	k := passkeytest.New(t, here.RP, here.Origin)
	a := signin.Ask{Purpose: signin.ToAdd, Tenant: tenant, Site: here, Member: member, Binding: "a session"}
	options, kept, err := s.Passkeys.BeginRegistration(a, signin.Session{Staff: member, Username: "dr.lee", Name: "Dr Lee"}, nil)
	must(t, err)
	made, err := s.Passkeys.FinishRegistration(t.Context(), a, kept, k.Make(t, options))
	must(t, err)
	made.Name = "A key"
	must(t, commands.Desk{Store: s.store}.AddPasskey(t.Context(), commands.AddPasskey{Tenant: tenant, Staff: member, With: s.credential(t, member), Passkey: made}))
	return k
}

// credential is the member's current password.
func (s *surgery) credential(t *testing.T, member staff.ID) (id staff.CredentialID) {
	t.Helper()
	must(t, s.pool.QueryRow(t.Context(), `SELECT credential FROM staff WHERE staff = $1`, member).Scan(&id))
	return id
}

// signs has a passkey sign, and checks the signature.
func (s *surgery) signs(t *testing.T, k *passkeytest.Key, a signin.Ask) error {
	t.Helper()
	options, kept, err := s.Passkeys.BeginLogin(a, nil)
	must(t, err)
	return s.shows(t, a, kept, k.Sign(t, options))
}

func (s *surgery) shows(t *testing.T, a signin.Ask, kept, signed string) error {
	t.Helper()
	_, err := s.SignInByPasskey(t.Context(), signin.PasskeyResponse{Ask: a, Kept: kept, Answer: signed, Source: "192.0.2.1"})
	return err
}

func (s *surgery) staffAt(t *testing.T, tenant string) (id staff.ID) {
	t.Helper()
	must(t, s.pool.QueryRow(t.Context(), `SELECT staff FROM staff WHERE tenant = $1 AND username = 'dr.lee'`, tenant).Scan(&id))
	return id
}

func refused(t *testing.T, name string, err error) {
	t.Helper()
	if !errors.Is(err, signin.ErrPasskey) {
		t.Errorf("%s: got %v, want %v", name, err, signin.ErrPasskey)
	}
}

// later changes the expiry of a challenge.
func later(kept string) string { return kept[:len(kept)-2] + "zw" }
