package patientindex

import (
	"cmp"
	"context"
	"errors"
	"maps"
)

// ErrBookFull means that one practice has more patients than the book can hold. Its
// patients can only be found by their identifiers.
var ErrBookFull = errors.New("the book of names is full")

// makeRoom evicts the least recently searched practices until there is room for one
// that has grown.
func (b *Book) makeRoom(grown *section, size int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	grown.size = size
	for {
		all, oldest := grown.size, ""
		for tenant, s := range b.practices {
			if s == grown {
				continue
			}
			all += s.size
			if oldest == "" || s.asked.Before(b.practices[oldest].asked) {
				oldest = tenant
			}
		}
		switch {
		case all <= cmp.Or(b.Most, bookMost):
			return nil
		case oldest == "":
			return ErrBookFull
		}
		delete(b.practices, oldest)
	}
}

// Tidy evicts practices without a search for a while, and removes patients who are gone
// from the others. It evicts a practice that it cannot bring up to date, and returns no
// error.
func (b *Book) Tidy(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, BookTidying)
	defer cancel()
	for tenant, s := range b.kept() {
		if _, err := b.upToDate(ctx, tenant, s); err != nil {
			b.forget(tenant)
		}
	}
	return nil
}

// kept evicts practices without a recent search, and returns the others.
func (b *Book) kept() map[string]*section {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := map[string]*section{}
	for tenant, s := range b.practices {
		if b.Now().Sub(s.asked) < bookIdle {
			kept[tenant] = s
		}
	}
	b.practices = kept
	return maps.Clone(kept)
}

func (b *Book) forget(tenant string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.practices, tenant)
}
