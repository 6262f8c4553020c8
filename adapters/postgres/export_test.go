package postgres

// What the tests of this package look at from outside.
const (
	AppendEvent  = appendEvent
	NextMessages = nextMessages
	ReadLog      = readLog
)
