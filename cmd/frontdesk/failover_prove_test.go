//go:build prove

package main_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/domain/epoch"
	"frontdesk/domain/event"
)

var (
	primariesKilled = provetest.Pick(1, 10)
	primariesOutrun = provetest.Pick(1, 10) // with a standby that had not received everything
)

const (
	settlesWithin     = 15 * time.Second
	heldBackFor       = 3 * time.Second
	loadBeforeTheKill = 2 * time.Second
)

// TestProveThatASynchronousFailoverLosesNothing kills the primary ten times under load (once in a night),
// promotes the standby and makes the killed cluster the next standby.
func TestProveThatASynchronousFailoverLosesNothing_D49(t *testing.T) { //nolint:paralleltest // it measures
	s := newSurgery(t, newPair(t, true), "synchronous", 2)
	stop := s.work()
	var longest time.Duration
	for n := range primariesKilled {
		time.Sleep(loadBeforeTheKill)
		killed := clock.System()
		s.killPrimary()
		s.promote()
		promoted := clock.System()
		waitFor(t, func() bool { return !testworld.Answers(s.served[0].private + "/readyz") }) // it has no standby
		s.follow()
		follows := clock.System()
		longest = max(longest, s.recovered(killed, follows))
		t.Logf("failover %d: promoted after %s, followed again after %s", n+1, promoted.Sub(killed), follows.Sub(killed))
	}
	time.Sleep(loadBeforeTheKill)
	stop()
	log := s.settled()
	s.wantAnswered(log)
	s.wantSentOnce(log)
	wantNothingMissing(t, begunIn(log), primariesKilled)
	if unknown := s.unknown(); unknown > 100*primariesKilled {
		t.Errorf("%d deliveries ended as unknown", unknown)
	}
	provetest.Tried(t, primariesKilled, "failovers")
	provetest.Tried(t, len(s.answered.ids), "requests answered")
	t.Logf("%d requests answered, %d calls refused, %s at most from a kill until the last refusal; %d webhooks sent, %d unknown",
		len(s.answered.ids), len(s.refused), longest, len(s.receiver.times), s.unknown())
}

// recovered waits until calls are answered again and returns how long after the kill the
// last one was refused.
func (s *surgery) recovered(killed, follows time.Time) (last time.Duration) {
	s.t.Helper()
	before := s.answered.count()
	waitFor(s.t, func() bool { return s.answered.count() > before+20 && testworld.Answers(s.served[0].private+"/readyz") })
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.refused {
		if r.status != http.StatusServiceUnavailable {
			s.t.Errorf("a call was answered %d", r.status)
		}
		if r.at.After(killed) {
			last = max(last, r.at.Sub(killed))
		}
	}
	if late := killed.Add(last).Sub(follows); late > settlesWithin {
		s.t.Errorf("a call was refused %s after the failover", late)
	}
	return last
}

// settled drains the log, waits until no delivery is pending, and returns the log. The reader
// refuses a missing idx.
func (s *busy) settled() (log []event.Recorded) {
	s.t.Helper()
	engine := s.engine()
	defer engine.Close()
	s.must(engine.Drain(s.t.Context()))
	for e, err := range engine.Log.After(s.t.Context(), 0) {
		s.must(err)
		log = append(log, e)
	}
	waitFor(s.t, func() bool {
		return answerTo[bool](s.t, s.database("owner"), `SELECT (SELECT min(idx) FROM feed_offsets) = (SELECT head FROM sequencer)
			AND NOT EXISTS (SELECT FROM deliveries WHERE status IN ('pending', 'sending'))`)
	})
	return log
}

func (s *busy) wantAnswered(log []event.Recorded) {
	s.t.Helper()
	logged := map[uuid.UUID]int{}
	for _, e := range log {
		logged[e.Stream.ID]++
	}
	for _, id := range s.answered.ids {
		if logged[id] != 1 {
			s.t.Errorf("request %s was answered and is %d times in the log", id, logged[id])
		}
	}
}

// window is a time in which nothing happened that was lost later.
type window struct{ from, to time.Time }

// wantSentOnce fails if a receiver got an event twice, or if any receiver got, in one of the
// windows, an event that is not in the log.
func (s *busy) wantSentOnce(log []event.Recorded, windows ...window) {
	s.t.Helper()
	logged := map[uuid.UUID]bool{}
	for _, e := range log {
		logged[e.ID] = true
	}
	s.receiver.mu.Lock()
	defer s.receiver.mu.Unlock()
	for what, times := range s.receiver.times {
		if times > 1 {
			s.t.Errorf("%s was received %d times", what, times)
		}
	}
	for id, at := range s.receiver.last {
		for _, w := range windows {
			if !logged[id] && at.After(w.from) && at.Before(w.to) {
				s.t.Errorf("a webhook of %s was sent %s after the failover, and it is not in the log", id, at.Sub(w.from))
			}
		}
	}
}

func begunIn(log []event.Recorded) map[int64]epoch.Begun {
	begun := map[int64]epoch.Begun{}
	for _, e := range log {
		if b, ok := e.Event.(epoch.Begun); ok {
			begun[e.Idx] = b
		}
	}
	return begun
}

func (s *busy) unknown() int {
	s.t.Helper()
	return answerTo[int](s.t, s.database("owner"), `SELECT count(*) FROM deliveries WHERE status = 'unknown'`)
}

// TestProveThatALostEndOfTheLogIsNamed promotes a standby that lags behind: Postgres loses
// answered calls. The program must report that, and send no webhook about a lost event.
func TestProveThatALostEndOfTheLogIsNamed_D49(t *testing.T) { //nolint:paralleltest // it measures
	s := newSurgery(t, newPair(t, false), "asynchronous", 2)
	stop := s.work()
	var windows []window
	for n := range primariesOutrun {
		time.Sleep(loadBeforeTheKill)
		if n > 0 {
			windows[n-1].to = clock.System()
		}
		s.holdBack()
		time.Sleep(heldBackFor)
		old := s.idxOf()
		s.killPrimary()
		time.Sleep(time.Second) // claimed deliveries are sent
		promoting := clock.System()
		s.promote()
		s.recovered(promoting, clock.System())
		s.follow()
		s.wantNamed(n+2, old, promoting)
		windows = append(windows, window{promoting, promoting.Add(time.Hour)})
	}
	stop()
	log := s.settled()
	s.wantSentOnce(log, windows...)
	logged := map[uuid.UUID]bool{}
	for _, e := range log {
		logged[e.Stream.ID] = true
	}
	lost := 0
	for _, id := range s.answered.ids {
		if !logged[id] {
			lost++
		}
	}
	if lost == 0 {
		t.Error("the standby had everything, so nothing was proved")
	}
	provetest.Tried(t, primariesOutrun, "failovers")
	provetest.Tried(t, lost, "requests lost by Postgres")
	t.Logf("%d of %d answered requests lost by Postgres; %d webhooks sent, %d unknown", lost, len(s.answered.ids), len(s.receiver.times), s.unknown())
}

// idxOf returns the idx of each event, as the primary has them.
func (s *surgery) idxOf() map[int64]uuid.UUID {
	s.t.Helper()
	conn := s.connect(s.primary)
	defer conn.Close(s.t.Context())
	rows, _ := conn.Query(s.t.Context(), `SELECT idx, id FROM log JOIN events USING (position)`)
	defer rows.Close()
	found := map[int64]uuid.UUID{}
	for rows.Next() {
		var idx int64
		var id [16]byte
		s.must(rows.Scan(&idx, &id))
		found[idx] = id
	}
	s.must(rows.Err())
	return found
}

// wantNamed fails unless an epoch begins where the two histories part.
func (s *surgery) wantNamed(number int, old map[int64]uuid.UUID, promoting time.Time) {
	s.t.Helper()
	s.waitFor(s.primary, fmt.Sprintf(`SELECT epoch = %d FROM sequencer`, number))
	conn := s.connect(s.primary)
	defer conn.Close(s.t.Context())
	var idx, lastKnown, missing int64
	var at time.Time
	err := conn.QueryRow(s.t.Context(), `SELECT idx, recorded_at, (data::json->>'lastKnown')::bigint, coalesce(data::json->>'missing', '-1')::bigint
		FROM log JOIN events USING (position) WHERE name = 'log.epoch-begun.v1' AND (data::json->>'epoch')::int = $1`, number).Scan(&idx, &at, &lastKnown, &missing)
	s.must(err)
	now, parted, lost := s.idxOf(), int64(len(old)), int64(0)
	for i := range int64(len(old)) {
		if old[i+1] != now[i+1] {
			parted, lost = i, int64(len(old))-i
			break
		}
	}
	if lost == 0 || lastKnown != parted || idx != parted+1 {
		s.t.Errorf("the histories part after idx %d, %d are lost; epoch %d begins at %d with last known %d", parted, lost, number, idx, lastKnown)
	}
	if missing <= 0 || missing > lost+1000 {
		s.t.Errorf("%d are said to be missing of at least %d", missing, lost)
	}
	s.t.Logf("epoch %d, %s after the promotion was asked for: last known %d, missing %d; the killed primary had at least %d more",
		number, at.Sub(promoting).Round(time.Millisecond), lastKnown, missing, lost)
}
