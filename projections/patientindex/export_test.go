package patientindex

import "context"

// Kept returns how many names the index has cached, for the tests of this package.
func Kept(x *Index) (names int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, p := range x.practices {
		names += p.size
	}
	return names
}

// Compare calls do for each name that a search compares, for the tests of this package.
func Compare(ctx context.Context, x *Index, tenant string, do func()) error {
	_, _, err := x.matching(ctx, tenant, func(entry) bool { do(); return false }, 1)
	return err
}
