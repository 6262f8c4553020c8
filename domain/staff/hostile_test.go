package staff_test

import (
	_ "embed"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"frontdesk/domain/staff"
)

// hostile has 1,000 passwords of five lists, most of them mangled as attackers' programs do:
// the list, the password, and what the check of D27 answered.
//
//go:embed testdata/hostile.tsv
var hostile string

var annaLee = staff.Known{Username: "dr.lee", Name: "Anna Lee-Jones", Tenant: "elm-street", Practice: "Elm Street Surgery"}

// mostAccepted is how many of the 200 of each list may be accepted: none of those that are
// made of listed words. The less common ones are of a list that the check does not have.
var mostAccepted = map[string]int{"commonest": 0, "less-common": 80, "trade": 0, "names": 0, "walks-and-numbers": 0}

func TestMangledPasswordsAreRefused_D142(t *testing.T) {
	t.Parallel()
	type counts struct{ all, before, after int }
	of := map[string]*counts{}
	for line := range strings.Lines(hostile) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		list, password, before := fields[0], fields[1], fields[2]
		if of[list] == nil {
			of[list] = &counts{}
		}
		of[list].all++
		if before == "accepted" {
			of[list].before++
		}
		if staff.CheckPassword(password, annaLee) == nil {
			of[list].after++
			t.Logf("%s: %q is accepted", list, password)
		}
	}
	for list, most := range mostAccepted {
		c := of[list]
		t.Logf("%s: of %d, %d were accepted by D27, and %d are now", list, c.all, c.before, c.after)
		if c.all != 200 || c.after > most {
			t.Errorf("%s: %d of %d are accepted, want at most %d", list, c.after, c.all, most)
		}
	}
}

// words are ordinary ones, many of which are common passwords by themselves.
var words = strings.Fields(`walnut soup boat coffee tin fish dragon purple mug window bicycle harbour lemon pencil tractor velvet cactus
	ladder thunder biscuit marble pigeon candle carpet kettle saddle ribbon turnip anchor blanket copper feather glacier hammer island
	jacket lantern mirror needle orchard pepper quarry rocket sugar tiger umbrella violin wagon yellow zebra banana monkey football`)

func TestPassphrasesAreAccepted_D142(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	for range 5000 {
		phrase := strings.Join([]string{words[random.IntN(len(words))], words[random.IntN(len(words))], words[random.IntN(len(words))]}, " ")
		if parts := strings.Fields(phrase); parts[0] == parts[1] || parts[1] == parts[2] || parts[0] == parts[2] || len(phrase) < 12 {
			continue
		}
		if err := staff.CheckPassword(phrase, annaLee); err != nil {
			t.Errorf("%q: %v", phrase, err)
		}
	}
	const signs = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789!#$%&*+-=?@"
	refused := 0
	for range 5000 { // as a password manager makes them
		made := make([]byte, 14)
		for n := range made {
			made[n] = signs[random.IntN(len(signs))]
		}
		if staff.CheckPassword(string(made), annaLee) != nil {
			refused++
		}
	}
	t.Logf("%d of 5,000 random passwords of 14 characters are refused", refused)
	if refused > 25 {
		t.Errorf("%d of 5,000 random passwords are refused", refused)
	}
}

func TestMangledWordsAreRefused_D142(t *testing.T) {
	t.Parallel()
	for _, password := range []string{
		"Reception2026!", "R3c3pt10n!!", "Summer2026!", "W1nter-2025", "$urgery2026", "NHSdoctor1!", "d0ct0r.nur$e", "P4ssw0rd2026", "Pa55w0rd!!1",
		"!!drowssaP!!", "dragondragon1", "Dr4g0n!!2026", "leeAnna_1984", "3lmStr33t!99", "teertSmlE2026", "Monkey-nhs-2026", "14/03/1972 1", "07700 900123",
		"qwerty!asdf1", "1q2w3e4r5t6y",
	} {
		err := staff.CheckPassword(password, annaLee)
		if !errors.Is(err, staff.ErrPasswordGuessed) && !errors.Is(err, staff.ErrPasswordCommon) {
			t.Errorf("%q: %v", password, err)
		}
	}
	for _, password := range []string{"dragon purple mug", "a walnut in the nhs", "reception walnut violin", "kX7#mq2Lw!vB", "éàüöß éàüöß", "Monkeys eat 2 lemons", "4826 1739 5026 8413 x"} {
		if err := staff.CheckPassword(password, annaLee); err != nil {
			t.Errorf("%q: %v", password, err)
		}
	}
}
