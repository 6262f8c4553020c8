package staff

import (
	_ "embed" // the commonest passwords
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// commonest are the 10,000 commonest passwords, and long ones that are less common, in
// lower case, one a line.
//
//go:generate common/make.sh
//go:embed common/passwords.txt
var commonest string

// The limits of guessing.
const (
	minLeft      = 4  // letters that must be left after the words that are tried first
	minDifferent = 5  // characters of a password
	minWordless  = 16 // characters of a password with hardly a letter: shorter ones are dates and telephone numbers
	minWord      = 3  // letters of a word that is tried first
	maxCommon    = 32 // bytes of a common password
)

// triedFirst are words of the trade, of the calendar and of the keyboard.
var triedFirst = strings.Fields(`
	reception receptionist doctor nurse surgery surgeries practice medical medicine clinic clinician clinical hospital
	health healthcare wellbeing care centre center nhs patient manager admin administrator staff team appointment
	pharmacy office desk frontdesk login logon welcome password passwort passphrase secret letmein changeme default temp
	temporary test testing user username
	spring summer autumn fall winter january february march april may june july august september october november december
	monday tuesday wednesday thursday friday saturday sunday christmas easter
	england scotland wales ireland britain london
	qwertyuiop qwerty qwertz azerty asdfghjkl asdfgh asdf zxcvbnm zxcvb zxcv qazwsxedc qazwsx qaz wsx edc rfv tgb qwe asd zxc zaq xsw
	abcdefgh abcdef abcde abcd abc xyz`)

func isCommon(password string) bool { return commonStems()[strings.ToLower(password)] }

// commonStems are the commonest passwords, and their letters.
var commonStems = sync.OnceValue(func() map[string]bool {
	stems := map[string]bool{}
	for password := range strings.Lines(commonest) {
		password = strings.TrimSuffix(password, "\n")
		stems[password] = true
		for _, stem := range stemsOf(password) {
			if utf8.RuneCountInString(stem) >= minLeft {
				stems[stem] = true
			}
		}
	}
	return stems
})

// isPattern reports whether a password is a few characters over and over, or a run such
// as 0123456789. The list leaves such passwords out, however common they are.
func isPattern(password string) bool {
	different, run, last := map[rune]bool{}, true, rune(-1)
	for _, r := range strings.ToLower(password) {
		step := max(r-last, last-r)
		run = run && (last < 0 || step <= 1 || step == 9 && min(r, last) == '0')
		different[r], last = true, r
	}
	return run || len(different) < minDifferent
}

// isGuessed reports whether hardly a letter of a password is left apart from public facts about
// the member of staff, words that are tried first and one common password. Digits, signs,
// years, case, usual replacements of letters, repetition and reverse order make no
// difference.
func isGuessed(password string, of Known) bool {
	if isPattern(years.ReplaceAllString(password, "")) {
		return true
	}
	if utf8.RuneCountInString(lettersOf(password)) < minLeft && utf8.RuneCountInString(password) < minWordless {
		return true
	}
	known := knownWords(of)
	return slices.ContainsFunc(stemsOf(password), func(stem string) bool {
		return utf8.RuneCountInString(stem) >= minLeft && lettersLeft(once(stem), known) < minLeft
	})
}

// lettersLeft is the least number of letters of a stem that are in none of the known words
// and not in one common password.
func lettersLeft(stem string, known []string) int {
	// Of the first n bytes: without a common password, and with one at most.
	none, one := make([]int, len(stem)+1), make([]int, len(stem)+1)
	for n := 1; n <= len(stem); n++ {
		letter := 0
		if utf8.RuneStart(stem[n-1]) {
			letter = 1
		}
		none[n], one[n] = none[n-1]+letter, one[n-1]+letter
		for _, word := range known {
			if strings.HasSuffix(stem[:n], word) {
				none[n], one[n] = min(none[n], none[n-len(word)]), min(one[n], one[n-len(word)])
			}
		}
		for from := max(0, n-maxCommon); from <= n-minLeft; from++ {
			if none[from] < one[n] && commonStems()[stem[from:n]] {
				one[n] = none[from]
			}
		}
	}
	return one[len(stem)]
}

// knownWords are the folded words that are tried first for a member of staff.
func knownWords(of Known) []string {
	known := slices.Clone(triedFirst)
	for _, fact := range []string{of.Username, of.Name, of.Tenant, of.Practice} {
		known = append(known, lettersOf(fact))
		known = append(known, strings.FieldsFunc(strings.ToLower(fact), isNoLetter)...)
	}
	for n, word := range known {
		known[n] = fold(word)
	}
	return slices.DeleteFunc(known, func(word string) bool { return utf8.RuneCountInString(word) < minWord })
}

var (
	years = regexp.MustCompile(`(19|20)\d\d`)
	// replaced are signs that people write in place of letters.
	replaced = strings.NewReplacer("0", "o", "1", "i", "!", "i", "|", "i", "3", "e", "€", "e", "4", "a", "@", "a", "5", "s", "$", "s",
		"7", "t", "+", "t", "8", "b", "9", "g", "(", "c")
)

// stemsOf are the readings of a password as letters: without digits and signs, or with
// those as letters in place of some, except at an end; each also in reverse.
func stemsOf(password string) (stems []string) {
	text := strings.ToLower(years.ReplaceAllString(password, ""))
	right := strings.TrimRightFunc(text, isNoLetter)
	readings := []string{text, replaced.Replace(text), replaced.Replace(right), replaced.Replace(strings.Trim(text, "0123456789"))}
	for _, reading := range []string{text, right} {
		readings = append(readings, replaced.Replace(strings.TrimLeftFunc(reading, isNoLetter)))
	}
	for _, reading := range readings {
		if stem := fold(lettersOf(reading)); stem != "" && !slices.Contains(stems, stem) {
			stems = append(stems, stem, reversed(stem))
		}
	}
	return stems
}

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) }

// lettersOf returns the letters of a text in lower case.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if isNoLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// fold makes one letter of those that the same sign replaces.
func fold(word string) string { return strings.ReplaceAll(word, "l", "i") }

func reversed(word string) string {
	runes := []rune(word)
	slices.Reverse(runes)
	return string(runes)
}

// once returns a word that is written several times once, and any other as it is.
func once(word string) string {
	for n := 1; n <= len(word)/2; n++ {
		if len(word)%n == 0 && strings.Repeat(word[:n], len(word)/n) == word {
			return word[:n]
		}
	}
	return word
}
