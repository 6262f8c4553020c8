package patientindex

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// Wanted is the criteria of a search. A patient has to meet all that are given.
type Wanted struct {
	Name      string // beginnings of words of the name, in any order
	BirthDate string // 2006-01-02
}

// Search returns the patients of a practice whose names contain all words of a text,
// whatever their case and accents, in the order of their names. If there are more than
// most of them, it returns the first, and true.
func (b *Book) Search(ctx context.Context, tenant, text string, most int) (found []Found, more bool, err error) {
	words := strings.Fields(folded(text))
	has := func(l line) bool { return hasAll(l.name, words) }
	matching, all, err := b.matching(ctx, tenant, has, most)
	if err != nil {
		return nil, false, err
	}
	found, err = b.named(ctx, tenant, matching, has)
	return found, all > most, err
}

// Find returns at most the given number of patients who match, in the order of their
// names, and how many there are. It compares names without case and accents. [Names]
// decrypts the names. It returns [ErrBookFull] if the practice has more patients than
// the book can hold.
func (b *Book) Find(ctx context.Context, tenant string, w Wanted, most int) (found []patient.ID, all int, err error) {
	words := strings.Fields(folded(w.Name))
	return b.matching(ctx, tenant, func(l line) bool {
		return (w.BirthDate == "" || l.born == w.BirthDate) && beginAll(l.name, words)
	}, most)
}

// Alike returns at most the given number of patients who may be the same person as one
// with this name and birth date ("" if unknown). Either their names have the same
// words, and the birth dates do not differ; or they were born on the same day, and the
// first or the last words of the names are the same.
func (b *Book) Alike(ctx context.Context, tenant, name, birthDate string, most int) ([]Found, error) {
	words := strings.Fields(folded(name))
	alike := func(l line) bool { return l.isLike(words, birthDate) }
	matching, _, err := b.matching(ctx, tenant, alike, most)
	if err != nil || len(words) == 0 {
		return nil, err
	}
	return b.named(ctx, tenant, matching, alike)
}

func (l line) isLike(words []string, born string) bool {
	own := strings.Fields(l.name)
	if len(own) == 0 || len(words) == 0 {
		return false
	}
	if born != "" && born == l.born && (own[0] == words[0] || own[len(own)-1] == words[len(words)-1]) {
		return true
	}
	sameDay := born == "" || l.born == "" || born == l.born
	return sameDay && slices.Equal(slices.Sorted(slices.Values(own)), slices.Sorted(slices.Values(words)))
}

// matching returns the first patients whose lines match, in order, and how many do.
func (b *Book) matching(ctx context.Context, tenant string, match func(line) bool, most int) (ids []patient.ID, all int, err error) {
	lines, err := b.upToDate(ctx, tenant, b.section(tenant))
	if err != nil {
		return nil, 0, fmt.Errorf("search for a patient: %w", err)
	}
	for _, l := range lines {
		if !match(l) {
			continue
		}
		if all++; all <= most {
			ids = append(ids, l.patient)
		}
	}
	return ids, all, nil
}

// named returns patients with their current names, without those who no longer match.
func (b *Book) named(ctx context.Context, tenant string, ids []patient.ID, match func(line) bool) (found []Found, err error) {
	names, err := b.Names.Of(ctx, tenant, ids...)
	for _, id := range ids {
		name, known := names[id]
		if known && name.Name != event.Erased && match(line{id, folded(name.Name), name.BirthDate}) {
			found = append(found, Found{id, name})
		}
	}
	return found, err
}

// beginAll reports whether each word is the beginning of a word of a folded name.
func beginAll(name string, words []string) bool {
	for _, word := range words {
		if !begins(name, word) {
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
