package eventstore

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// What the tests of this package look at from outside.
const (
	AppendFirst   = appendFirst
	AppendAll     = appendAll
	Few           = few
	NextPage      = nextPage
	ReadStretch   = readStretch
	ReadLog       = readLog
	LossesBetween = lossesBetween
)

// AppendArgs are the arguments of [AppendAll] for one event without a patient.
func AppendArgs(stream event.Stream, version int, name, data string, at time.Time) []any {
	e := event.Stored{ID: uuid.New(), Stream: stream, Version: version, Name: name, Data: []byte(data), Metadata: []byte("{}"), At: at}
	return columnsOf([]written{{Stored: e, strict: true}}).args()
}

// What a sequencer asks: for one batch, and whether there is anything to do.
const (
	SequenceEvents = sequenceEvents
	WhatWaits      = whatWaits
	IsBehind       = isBehind
)

// PaceAfter is the time to the next batch.
func PaceAfter(took, least time.Duration) time.Duration { return paceAfter(took, least) }

// Holding bounds what a selection holds.
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

// Grouped says how many groups and appends became what.
func Grouped(s *Store) string {
	text := ""
	for o := range outcomes {
		text += fmt.Sprintf("%d groups of %d appends %s; ", s.batcher.counted[o].groups.Load(), s.batcher.counted[o].appends.Load(), o)
	}
	return text
}
