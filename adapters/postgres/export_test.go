package postgres

// What the tests of this package look at from outside.
const (
	AppendFirst   = appendFirst
	AppendNext    = appendNext
	NextPage      = nextPage
	ReadStretch   = readStretch
	ReadLog       = readLog
	LossesBetween = lossesBetween
)

// Bridging is [ForCallers] with an absence that is short for another time.
var Bridging = bridging

// ReadCalls is the statement for a filter.
func ReadCalls(f CallFilter) string { return f.query() }

// CallArgs are the arguments of [ReadCalls].
func CallArgs(f CallFilter, limit int) []any { return f.args(limit) }

// SequenceEvents is one batch of a sequencer.
const SequenceEvents = sequenceEvents

// Holding bounds what a selection holds.
func (s *Selection) Holding(most int64) *Selection {
	s.most = most
	return s
}
