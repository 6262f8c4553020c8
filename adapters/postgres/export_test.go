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
	ReadCalls    = readCalls
)

// CallArgs are the arguments of [ReadCalls].
func CallArgs(f CallFilter, limit int) []any { return f.args(limit) }
