package access

// Outcome is how a call ended.
type Outcome string

// The outcomes.
const (
	Allowed Outcome = "allowed" // it was served
	Refused Outcome = "refused" // the caller was told what to mend, or that it may not
	Failed  Outcome = "failed"  // the service could not serve it
)

// Statuses are those that an outcome has, until exclusive; all, for any other
// text.
func (o Outcome) Statuses() (from, until int) {
	switch o {
	case Allowed:
		return 0, 400
	case Refused:
		return 400, 500
	case Failed:
		return 500, 1000
	}
	return 0, 1000
}

// Outcome tells by the status.
func (c Call) Outcome() Outcome {
	for _, o := range []Outcome{Allowed, Refused} {
		if _, until := o.Statuses(); c.Status < until {
			return o
		}
	}
	return Failed
}
