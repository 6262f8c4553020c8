package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/projections"
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

// Bridging is [ForCallers] with an absence that is short for another time.
var Bridging = bridging

// ReadCalls is the statement for a filter.
func ReadCalls(f CallFilter) string { return f.query() }

// CallArgs are the arguments of [ReadCalls].
func CallArgs(f CallFilter, limit int) []any { return f.args(limit) }

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

// HeldKeys returns how many keys a keyring has in memory.
func HeldKeys(k *Keyring) int { return k.known.held() }

// RememberKeys has a keyring remember so many keys at most.
func RememberKeys(k *Keyring, n int) { k.known.size = n }

// ForgetKeys leaves a keyring as it is at the start of a process.
func ForgetKeys(k *Keyring) { k.known.expire(k.now().Add(keyLife)) }

// SealActs is what the recorder does with the act claims of a batch.
func (r *AccessRecorder) SealActs(ctx context.Context, calls []access.Call) ([]*event.OnBehalfOf, [][]byte, error) {
	return r.sealActs(ctx, calls)
}

// Write writes a batch of calls.
func (r *AccessRecorder) Write(ctx context.Context, calls []access.Call) error {
	return r.write(ctx, calls)
}

// FormattedShape returns the schema of a database as migrations/shape.txt has it.
func FormattedShape(ctx context.Context, db projections.Querier) (string, error) {
	found, err := readShape(ctx, db)
	return found.format(), err
}
