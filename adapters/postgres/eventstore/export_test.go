package eventstore

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// Exported for the tests of this package.
const (
	AppendFirst    = appendFirst
	AppendAll      = appendAll
	Few            = few
	NextPage       = nextPage
	ReadStretch    = readStretch
	ReadLog        = readLog
	MissingBetween = missingBetween
)

// AppendArgs are the arguments of [AppendAll] for one event without a patient.
func AppendArgs(stream event.Stream, version int, name, data string, at time.Time) []any {
	e := event.Stored{ID: uuid.New(), Stream: stream, Version: version, Name: name, Data: []byte(data), Metadata: []byte("{}"), At: at}
	return columnsOf([]written{{Stored: e, strict: true}}).args()
}

// The sequencer's statements: for one batch, and to look for work.
const (
	SequenceEvents = sequenceEvents
	ReadProgress   = readProgress
	IsBehind       = isBehind
)

// PaceAfter is the time to the next batch.
func PaceAfter(took, least time.Duration) time.Duration { return paceAfter(took, least) }

// Holding bounds the places that a selection holds.
func (s *Selection) Holding(most int64) *Selection {
	s.most = most
	return s
}

// Crowd is how many appends are here, and how many of them wait for a group.
func Crowd(s *Store) (here, waiting int) {
	s.batcher.mu.Lock()
	defer s.batcher.mu.Unlock()
	return s.batcher.here, len(s.batcher.waiting)
}

// WaitAtMost sets how long an append waits for a group, or for another append.
func WaitAtMost(s *Store, d time.Duration) { s.batcher.limit = d }

// Grouped returns the numbers of groups and appends by outcome.
func Grouped(s *Store) string {
	text := ""
	for o := range outcomes {
		text += fmt.Sprintf("%d groups of %d appends %s; ", s.batcher.counted[o].groups.Load(), s.batcher.counted[o].appends.Load(), o)
	}
	return text
}
