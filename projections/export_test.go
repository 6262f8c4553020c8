package projections

// What the tests of this package look at from outside.
const (
	RightsOfApplication = rightsOfApplication
	RightsOfUser        = rightsOfUser

	ReceptionsApplication = receptionsApplication
	ReceptionsUser        = receptionsUser
)

// Kept returns how many names the book has in memory.
func Kept(b *Book) (names int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.practices {
		names += s.size
	}
	return names
}
