package erasure

import "time"

// Finality is how final an erasure is. The service cannot decrypt the data from the erasure
// on. Backups can be decrypted until every master key of that time is destroyed.
type Finality struct {
	From  time.Time // when the last backup that needs those master keys has expired; zero while one of them is in use
	Since time.Time // when an operator confirmed that no copy of them is left; zero until then
}

// Final reports whether the data cannot be decrypted from backups either.
func (f Finality) Final() bool { return !f.Since.IsZero() }

// Sentence describes the state. Pages, letters, lists and documents use these words. format
// writes a date for its readers.
func (f Finality) Sentence(format func(time.Time) string) string {
	switch {
	case f.Final():
		return "The erasure is final since " + format(f.Since) + ". " +
			"The master keys of that time are destroyed, so the data cannot be read from backups either."
	case f.From.IsZero():
		return Reach + " The erasure becomes final after the master key has been rotated."
	}
	return Reach + " The erasure can become final from " + format(f.From) + "."
}
