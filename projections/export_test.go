package projections

// Exports for the tests of this package.
const (
	RightsOfApplication = rightsOfApplication
	RightsOfUser        = rightsOfUser

	ReceptionsApplication = receptionsApplication
	ReceptionsUser        = receptionsUser
)

// Kept returns how many names the book has cached.
func Kept(b *Book) (names int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.practices {
		names += s.size
	}
	return names
}
