package retention

// Stopping stops runs after the nth step, counted from 1, with an error. It returns the
// number of steps.
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

// TakeAllForLarge treats each default partition as large.
func (r *Retain) TakeAllForLarge() { r.scanned = 1 }
