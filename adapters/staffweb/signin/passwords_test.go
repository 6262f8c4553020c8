package signin_test

import (
	"strings"
	"testing"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/adapters/staffweb/signin/signintest"
)

// A vault without a cost uses the shipped one.
func TestShippedCostOfPasswords_D27(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	vault := signin.PasswordStore{DB: s.vault.DB, Log: s.vault.Log}
	kept, err := vault.Keep(t.Context(), elm, s.lee, password)
	must(t, err)
	var hash string
	must(t, s.pool.QueryRow(t.Context(), `SELECT hash FROM staff_passwords WHERE credential = $1`, kept.Credential).Scan(&hash))
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=47104,t=2,p=1$") {
		t.Errorf("got %s, want argon2id with at least 46 MiB", hash)
	}
	if right, err := signin.DefaultCost.Verify(hash, password); !right || err != nil {
		t.Errorf("the password of %s is refused: %v", hash, err)
	}
	if cost := vault.CostOfUnknown(); cost != signin.DefaultCost {
		t.Errorf("a username that nobody has costs %v, want what a real one costs", cost)
	}
}

func TestHashMatchesOnlyItsPassword_D27(t *testing.T) {
	t.Parallel()
	hash := signintest.Cheap.Hash("café au lait")
	if again := signintest.Cheap.Hash("café au lait"); again == hash {
		t.Error("two hashes of one password are the same: there is no salt")
	}
	for typed, want := range map[string]bool{
		"café au lait":       true,
		"cafe\u0301 au lait": true, // the same letters, from another keyboard
		"Café au lait":       false,
		"café au lait ":      false,
		"":                   false,
	} {
		if got, err := signintest.Cheap.Verify(hash, typed); err != nil || got != want {
			t.Errorf("%q: got %t, %v, want %t", typed, got, err, want)
		}
	}
}

func TestPlaceholderHashNeverMatches(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"", "anything"} {
		if right, err := signintest.Cheap.Verify("", password); right || err != nil {
			t.Errorf("%q: got %t, %v", password, right, err)
		}
	}
}

func TestVerifyReadsOtherCosts(t *testing.T) {
	t.Parallel()
	// The prefix of every hash with m=64 KiB, t=1, p=2 and the salt "somesalt".
	const cheap = "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHQ$"
	for _, hash := range []string{cheap + "AAAA", "x", "$argon2i$v=19$m=64,t=1,p=2$c29tZXNhbHQ$AAAA", cheap, strings.Replace(cheap, "t=1", "t=0", 1) + strings.Repeat("A", 43)} {
		if _, err := signintest.Cheap.Verify(hash, "password"); err == nil {
			t.Errorf("%s was read", hash)
		}
	}
	for typed, want := range map[string]bool{"password": true, "passwort": false} {
		got, err := signintest.Cheap.Verify(cheap+"fulyYjWJJvMORDFTPUq4Eatpl3lItiixI9xM9B6eb10", typed)
		if got != want || err != nil {
			t.Errorf("%s: got %t, %v, want %t", typed, got, err, want)
		}
	}
}
