package retention

// Stopping stops runs after the nth step, counted from 1, with an error. It returns the
// number of steps.
func (r *Retain) Stopping(n int, with error) (steps *int) {
	steps = new(int)
	r.reached = func(step) error {
		if *steps++; *steps == n {
			return with
		}
		return nil
	}
	return steps
}

// TakeAllForLarge treats each default partition as large.
func (r *Retain) TakeAllForLarge() { r.scanned = 1 }
