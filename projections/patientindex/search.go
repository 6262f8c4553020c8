package patientindex

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
)

// Criteria are the criteria of a search. A patient has to meet all that are given.
type Criteria struct {
	Name      string // beginnings of words of the name, in any order
	BirthDate string // 2006-01-02
	NHSNumber string // as people write it; one that is not valid is no one's
}

// Search returns the patients of a practice whose names contain all words of a text,
// whatever their case and accents, or who have the NHS number in the text, in the order of
// their names. If there are more than most of them, it returns the first, and true.
func (x *Index) Search(ctx context.Context, tenant, text string, most int) (found []Match, more bool, err error) {
	words, ok := wordsOf(text)
	if !ok {
		return nil, false, nil
	}
	has := func(e entry) bool { return hasAll(e.name, words) }
	if number := numberOf(text); number != 0 {
		has = func(e entry) bool { return e.number == number }
	}
	matching, all, err := x.matching(ctx, tenant, has, most)
	if err != nil {
		return nil, false, err
	}
	found, err = x.named(ctx, tenant, matching, has)
	return found, all > most, err
}

// Find returns at most the given number of patients who match, in the order of their
// names, and how many there are. It compares names without case and accents.
// [projections.Names] decrypts the names. It returns [ErrFull] if the practice has more
// patients than the index can hold.
func (x *Index) Find(ctx context.Context, tenant string, c Criteria, most int) (found []patient.ID, all int, err error) {
	words, ok := wordsOf(c.Name)
	number := numberOf(c.NHSNumber)
	if !ok || c.NHSNumber != "" && number == 0 {
		return nil, 0, nil
	}
	return x.matching(ctx, tenant, func(e entry) bool {
		return (number == 0 || e.number == number) && (c.BirthDate == "" || e.birth == c.BirthDate) && beginAll(e.name, words)
	}, most)
}

// Sharing returns at most the given number of other patients with the same NHS number, in
// the order of their names; none for "".
func (x *Index) Sharing(ctx context.Context, tenant, nhsNumber string, except patient.ID, most int) ([]Match, error) {
	number := numberOf(nhsNumber)
	if number == 0 {
		return nil, nil
	}
	shares := func(e entry) bool { return e.number == number && e.patient != except }
	matching, _, err := x.matching(ctx, tenant, shares, most)
	if err != nil {
		return nil, err
	}
	return x.named(ctx, tenant, matching, shares)
}

// Alike returns at most the given number of patients who may be the same person as one
// with this name and birth date ("" if unknown). Either their names have the same
// words, and the birth dates do not differ; or they were born on the same day, and the
// first or the last words of the names are the same.
func (x *Index) Alike(ctx context.Context, tenant, name, birthDate string, most int) ([]Match, error) {
	words, ok := wordsOf(name)
	if !ok || len(words) == 0 {
		return nil, nil
	}
	sorted := slices.Sorted(slices.Values(words))
	alike := func(e entry) bool { return e.isLike(words, sorted, birthDate) }
	matching, _, err := x.matching(ctx, tenant, alike, most)
	if err != nil {
		return nil, err
	}
	return x.named(ctx, tenant, matching, alike)
}

// Person is a name, a birth date and an NHS number ("" if unknown).
type Person struct{ Name, BirthDate, NHSNumber string }

// Duplicate is a patient who may be the same person.
type Duplicate struct {
	Patient    patient.ID
	SameNumber bool // they have the same NHS number
}

// Duplicates returns a patient who may be the same person, as [Index.Alike] does, or has the
// same NHS number, for each of many people, by their position. It reads the practice's entries
// once. A patient of the same number comes before one of a like name.
func (x *Index) Duplicates(ctx context.Context, tenant string, people []Person) (map[int]Duplicate, error) {
	type wanted struct {
		person        int
		words, sorted []string
		born          string
	}
	byKey, byNumber := map[string][]wanted{}, map[int64][]int{}
	for n, p := range people {
		if number := numberOf(p.NHSNumber); number != 0 {
			byNumber[number] = append(byNumber[number], n)
		}
		words, ok := wordsOf(p.Name)
		if !ok || len(words) == 0 {
			continue
		}
		w := wanted{n, words, slices.Sorted(slices.Values(words)), p.BirthDate}
		for _, key := range likeKeys(words, p.BirthDate) {
			byKey[key] = append(byKey[key], w)
		}
	}
	found := map[int]Duplicate{}
	_, _, err := x.matching(ctx, tenant, func(e entry) bool {
		for _, person := range byNumber[e.number] {
			if !found[person].SameNumber {
				found[person] = Duplicate{e.patient, true}
			}
		}
		for _, key := range likeKeys(strings.Fields(joined(e.name)), e.birth) {
			for _, w := range byKey[key] {
				if _, again := found[w.person]; !again && e.isLike(w.words, w.sorted, w.born) {
					found[w.person] = Duplicate{Patient: e.patient}
				}
			}
		}
		return false
	}, 0)
	return found, err
}

// likeKeys returns keys of which two people who may be the same have one in common.
func likeKeys(words []string, born string) []string {
	if len(words) == 0 {
		return nil
	}
	keys := []string{strings.Join(slices.Sorted(slices.Values(words)), " ")}
	if born != "" {
		keys = append(keys, "first "+born+" "+words[0], "last "+born+" "+words[len(words)-1])
	}
	return keys
}

// wordsOf returns the folded words of a text that is searched for; false if it is longer
// than any name, so that no one has it.
func wordsOf(text string) (words []string, ok bool) {
	text, err := parse.Name(text)
	return strings.Fields(joined(fold(text))), err == nil
}

// joined is a folded name without its apostrophes, so that "o'neill" is "oneill".
func joined(name string) string { return strings.ReplaceAll(name, "'", "") }

// isLike compares an entry with the words of a name, of which there is at least one, and
// with the same words in order.
func (e entry) isLike(words, sorted []string, born string) bool {
	own := strings.Fields(joined(e.name))
	if len(own) == 0 {
		return false
	}
	if born != "" && born == e.birth && (own[0] == words[0] || own[len(own)-1] == words[len(words)-1]) {
		return true
	}
	sameDay := born == "" || e.birth == "" || born == e.birth
	return sameDay && len(own) == len(words) && slices.Equal(slices.Sorted(slices.Values(own)), sorted)
}

// entriesAtOnce are compared before a search looks whether its request has ended.
const entriesAtOnce = 1024

// matching returns the first patients whose entries match, in order, and how many do. It
// ends with its request.
func (x *Index) matching(ctx context.Context, tenant string, match func(entry) bool, most int) (ids []patient.ID, all int, err error) {
	entries, err := x.upToDate(ctx, tenant, x.practice(tenant))
	if err != nil {
		return nil, 0, fmt.Errorf("search for a patient: %w", err)
	}
	for n, e := range entries {
		if n%entriesAtOnce == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		if !match(e) {
			continue
		}
		if all++; all <= most {
			ids = append(ids, e.patient)
		}
	}
	return ids, all, nil
}

// named returns patients with their current names, without those who no longer match.
func (x *Index) named(ctx context.Context, tenant string, ids []patient.ID, match func(entry) bool) (found []Match, err error) {
	current, names, err := x.read(ctx, tenant, ids)
	for _, e := range current {
		if match(e) {
			found = append(found, Match{e.patient, names[e.patient]})
		}
	}
	return found, err
}

// beginAll reports whether each word is the beginning of a word of a folded name, in
// which an apostrophe ends a word or is left out: "o'neill" begins with "neill" and with
// "oneill".
func beginAll(name string, words []string) bool { return all(name, words, begins) }

// all reports whether a folded name, with its apostrophes or without, has each word.
func all(name string, words []string, has func(name, word string) bool) bool {
	whole := joined(name)
	for _, word := range words {
		if !has(name, word) && (whole == name || !has(whole, word)) {
			return false
		}
	}
	return true
}

// begins reports whether a word of a folded name begins with a text, which may continue
// into the next words.
func begins(name, text string) bool {
	for from := 0; ; {
		at := strings.Index(name[from:], text)
		if at < 0 {
			return false
		}
		at += from
		if at == 0 || !inWord(name[at-1]) {
			return true
		}
		from = at + 1
	}
}

// inWord reports whether a byte of a name is part of a word. All bytes outside ASCII
// are.
func inWord(c byte) bool {
	return c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z'
}

// unaccented has the letters of European names that Unicode does not decompose, in
// lower case, and signs that people type in more than one way.
var unaccented = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i",
	"’", "'", "‘", "'", "ʼ", "'", "`", "'", "‐", " ", "‑", " ", "–", " ", "-", " ", ",", " ", ".", " ")

// fold returns a name in lower case and without accents, as names are compared.
func fold(name string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(name))
	return unaccented.Replace(plain)
}

// hasAll reports whether a folded name has all words in it.
func hasAll(name string, words []string) bool { return all(name, words, strings.Contains) }
