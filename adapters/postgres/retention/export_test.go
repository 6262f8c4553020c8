package retention

// Stopping stops runs behind the nth step, counted from 1, with an error. It returns how
// many steps were made.
func (r *Retain) Stopping(n int, with error) (made *int) {
	made = new(int)
	r.reached = func(step) error {
		if *made++; *made == n {
			return with
		}
		return nil
	}
	return made
}

// TakeAllForLarge has each default partition bounded as if it were large.
func (r *Retain) TakeAllForLarge() { r.scanned = 1 }
