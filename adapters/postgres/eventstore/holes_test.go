package eventstore_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

// lose runs a statement behind the triggers.
func lose(t *testing.T, db *postgrestest.Database, statement string) {
	t.Helper()
	enginetest.Execute(t, db.SuperuserURL, `SET session_replication_role = replica; `+statement)
}

const (
	loseEvent = `DELETE FROM events WHERE position = (SELECT position FROM log WHERE idx = 3);`
	losePlace = `DELETE FROM log WHERE idx = 3;`
)

// lines collects the lines of a program's log.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) contain(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), text)
}

// Also when the consumer does not follow the type of the lost event.
func TestAConsumerStopsAtAHoleInTheLog_D54(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, lost, want string
		events           int
	}{
		{"an event", loseEvent, "the event of idx 3 is missing", 5},
		{"the last event", loseEvent, "the event of idx 3 is missing", 3},
		{"a place", losePlace, "idx 3 is missing from the log", 5},
		{"both", loseEvent + losePlace, "idx 3 is missing from the log", 5},
	} {
		for _, follows := range [][]event.Event{nil, {eventtest.Noted{}}} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				db := postgrestest.New(t)
				e, recorder, said := engineOn(t, db.URL), newRecorder(t, db), &lines{}
				e.AppendMany(t, c.events)
				e.Drain(t)
				lose(t, db, c.lost)
				registry, metrics := newMetrics(t)
				consumer := e.consumer("recorder", recorder.handle)
				consumer.Follows, consumer.Metrics, consumer.Log = follows, metrics, slog.New(slog.NewTextHandler(said, nil))
				enginetest.RunUntilCleanup(t, consumer.Run)
				clocktest.Eventually(t, func() bool {
					return said.contain(c.want) && enginetest.Counter(t, registry, "frontdesk_consumer_stops_total") >= 2
				}, "the consumer has stopped, and its log names the place")
				if at := e.offset(t, "recorder"); at > 2 {
					t.Errorf("the consumer has gone on to %d", at)
				}
				_, err := e.Log.Next(t.Context(), 0)
				if !strings.Contains(enginetest.Text(err), c.want) {
					t.Errorf("reading the log: %v", err)
				}
			})
		}
	}
}

// A consumer notices a lost end with the next event; who reads the log, at once.
func TestALogThatHasLostItsEndIsNotRead_D54(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := engineOn(t, db.URL)
	e.AppendMany(t, 3)
	e.Drain(t)
	lose(t, db, loseEvent+losePlace)
	read := 0
	for _, err := range e.Log.After(t.Context(), 0) {
		if read++; read == 3 && enginetest.Text(err) != "idx 3 is missing from the log" {
			t.Errorf("the end: %v", err)
		}
	}
	if read != 3 {
		t.Errorf("%d were read", read)
	}
}
