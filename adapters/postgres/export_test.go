package postgres

// What the tests of this package look at from outside.
const (
	AppendFirst   = appendFirst
	AppendNext    = appendNext
	NextMessages  = nextMessages
	ReadLog       = readLog
	LossesBetween = lossesBetween
	ReadCalls     = readCalls
)

// Bridging is [ForCallers] with an absence that is short for another time.
var Bridging = bridging

// CallArgs are the arguments of [ReadCalls].
func CallArgs(f CallFilter, limit int) []any { return f.args(limit) }

// SequenceEvents is one batch of a sequencer.
const SequenceEvents = sequenceEvents
