package postgres

// What the tests of this package look at from outside.
const (
	Elect        = elect
	WatchGaps    = watchGaps
	Place        = place
	AppendFirst  = appendFirst
	AppendNext   = appendNext
	NextMessages = nextMessages
	ReadLog      = readLog
)

// Bridging is [ForCallers] with an absence that is short for another time.
var Bridging = bridging

// ReadCalls is the statement for a filter.
func ReadCalls(f CallFilter) string { return f.query() }

// CallArgs are the arguments of [ReadCalls].
func CallArgs(f CallFilter, limit int) []any { return f.args(limit) }

// Holding bounds what a selection holds.
func (s *Selection) Holding(most int64) *Selection {
	s.most = most
	return s
}
