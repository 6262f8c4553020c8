package signin_test

import (
	"strings"
	"testing"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/adapters/staffweb/signin/signintest"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// put replaces the stored hash of dr.lee at Elm Street, with the rights of the serving
// role.
func (s *surgery) put(t *testing.T, hash string) {
	t.Helper()
	for _, change := range []string{
		`DELETE FROM staff_passwords WHERE staff = $1 AND $2 <> ''`,
		`INSERT INTO staff_passwords (tenant, staff, credential, hash) SELECT tenant, staff, credential, $2 FROM staff WHERE staff = $1`,
	} {
		done, err := s.pool.Exec(t.Context(), change, s.lee, hash)
		if err != nil || done.RowsAffected() != 1 {
			t.Fatal(done, err)
		}
	}
}

// kept returns the stored hash of dr.lee at Elm Street.
func (s *surgery) kept(t *testing.T) (hash string) {
	t.Helper()
	must(t, s.pool.QueryRow(t.Context(), `SELECT hash FROM staff_passwords WHERE staff = $1`, s.lee).Scan(&hash))
	return hash
}

// signsIn reports whether a password is dr.lee's.
func (s *surgery) signsIn(t *testing.T, typed string) bool {
	t.Helper()
	in, wait := s.signIn(t, try(func(t *signin.Try) { t.Password = typed }))
	if wait > 0 {
		t.Fatalf("%q has to wait", typed)
	}
	return in
}

// Write access to hashes alone does not allow sign-in.
func TestUnloggedHashIsRefused_D56(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	if !s.signsIn(t, password) || s.logged.Len() > 0 {
		t.Fatalf("the right password is refused: %s", &s.logged)
	}
	right := s.kept(t)
	const dear = "$argon2id$v=19$m=4194304,t=9,p=1$c29tZXNhbHQ$fulyYjWJJvMORDFTPUq4Eatpl3lItiixI9xM9B6eb10" // it would take minutes
	for _, swapped := range []string{signintest.Cheap.Hash("chosen by a thief"), dear, "no hash at all"} {
		s.logged.Reset()
		s.put(t, swapped)
		if s.signsIn(t, "chosen by a thief") {
			t.Errorf("somebody signs in with %s", swapped)
		}
		if logged := s.logged.String(); !strings.Contains(logged, "level=ERROR") || !strings.Contains(logged, "tenant=elm-street staff="+s.lee.String()) ||
			strings.Contains(logged, swapped) {
			t.Errorf("logged is %s", logged)
		}
	}
	s.logged.Reset()
	s.put(t, right)
	if !s.signsIn(t, password) || s.logged.Len() > 0 {
		t.Errorf("the right password is refused although its hash is back: %s", &s.logged)
	}
}

// Passwords from before the log had digests are valid until the next one.
func TestHashWithoutDigestIsAccepted_D56(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	var credential staff.CredentialID
	must(t, s.pool.QueryRow(t.Context(), `SELECT credential FROM staff WHERE staff = $1`, s.lee).Scan(&credential))
	_, err := s.store.Append(t.Context(), event.Change{
		Stream: staff.StreamOf(elm, s.lee), Expected: 2, Events: []event.Event{staff.PasswordSet{Credential: credential}},
	})
	must(t, err)
	if !s.signsIn(t, password) || s.logged.Len() > 0 {
		t.Errorf("the right password is refused: %s", &s.logged)
	}
	before := s.kept(t)
	set := commands.Desk{Store: s.store, Staff: projections.Staff{DB: s.pool}, Passwords: s.vault, Now: s.Now}
	_, err = set.SetPassword(t.Context(), commands.SetPassword{Tenant: elm, Username: "dr.lee", Password: "walnut soup boat"})
	must(t, err)
	if !s.signsIn(t, "walnut soup boat") {
		t.Error("the new password is refused")
	}
	s.put(t, before)
	if s.signsIn(t, password) {
		t.Error("the password of before signs in with the hash of before")
	}
}
