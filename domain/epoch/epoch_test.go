package epoch_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain/epoch"
	"frontdesk/domain/event/eventtest"
)

var here = epoch.History{System: 7, Table: 20, Timeline: 1}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, epoch.Begun{Epoch: 2, Cause: epoch.Timeline, LastKnown: 439, Missing: new(int64(79)),
		Reason: "The database has changed from timeline 1 to 2."})
}

func TestEpochRecordsItsCause(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		to    epoch.History
		cause epoch.Cause
		says  string
	}{
		"another timeline": {epoch.History{System: 7, Table: 20, Timeline: 2}, epoch.Timeline, "The database has changed from timeline 1 to 2."},
		"another cluster": {epoch.History{System: 8, Table: 20, Timeline: 1}, epoch.Restore,
			"The database is a copy: its cluster and table were 7/20, and are 8/20."},
		"restored into its own cluster": {epoch.History{System: 7, Table: 21, Timeline: 1}, epoch.Restore,
			"The database is a copy: its cluster and table were 7/20, and are 7/21."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := epoch.Begin(epoch.Mark{Epoch: 1, Head: 439}, epoch.Mark{}, here, c.to)
			want := epoch.Begun{Epoch: 2, Cause: c.cause, LastKnown: 439, Reason: c.says}
			if diff := cmp.Diff(want, begun); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMissingNeedsRememberedMark(t *testing.T) {
	t.Parallel()
	next := epoch.History{System: 7, Table: 20, Timeline: 2}
	for name, c := range map[string]struct {
		log, seen epoch.Mark
		epoch     int
		missing   *int64
	}{
		"no mark":                     {epoch.Mark{Epoch: 1, Head: 439}, epoch.Mark{}, 2, nil},
		"the log was longer":          {epoch.Mark{Epoch: 1, Head: 439}, epoch.Mark{Epoch: 1, Head: 518}, 2, new(int64(79))},
		"nothing is missing":          {epoch.Mark{Epoch: 1, Head: 439}, epoch.Mark{Epoch: 1, Head: 439}, 2, new(int64(0))},
		"an older mark":               {epoch.Mark{Epoch: 1, Head: 439}, epoch.Mark{Epoch: 1, Head: 400}, 2, new(int64(0))},
		"an epoch is missing as well": {epoch.Mark{Epoch: 1, Head: 439}, epoch.Mark{Epoch: 2, Head: 460}, 3, new(int64(21))},
		"a mark of an earlier epoch":  {epoch.Mark{Epoch: 2, Head: 439}, epoch.Mark{Epoch: 1, Head: 518}, 3, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := epoch.Begin(c.log, c.seen, here, next)
			if diff := cmp.Diff(c.missing, begun.Missing); diff != "" || begun.Epoch != c.epoch {
				t.Errorf("epoch %d, want %d; missing: %s", begun.Epoch, c.epoch, diff)
			}
		})
	}
}

func TestOnlyCompleteHistoryIsPassedOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begun       epoch.Begun
		synchronous bool
		want        bool
	}{
		"nothing is missing":          {epoch.Begun{Cause: epoch.Timeline, Missing: new(int64(0))}, true, true},
		"the standby confirmed none":  {epoch.Begun{Cause: epoch.Timeline, Missing: new(int64(0))}, false, false},
		"something is missing":        {epoch.Begun{Cause: epoch.Timeline, Missing: new(int64(1))}, true, false},
		"no mark":                     {epoch.Begun{Cause: epoch.Timeline}, true, false},
		"a copy is as old as it was ": {epoch.Begun{Cause: epoch.Restore, Missing: new(int64(0))}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.begun.Complete(c.synchronous); got != c.want {
				t.Errorf("complete: %t, want %t", got, c.want)
			}
		})
	}
}

func TestDeclaredEpochIsLater_D77(t *testing.T) {
	t.Parallel()
	log := epoch.Mark{Epoch: 3, Head: 439}
	begun, err := epoch.Declare(log, 0, " A volume was put back. ")
	want := epoch.Begun{Epoch: 4, Cause: epoch.Restore, LastKnown: 439, Reason: "A volume was put back."}
	if diff := cmp.Diff(want, begun); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if begun, err := epoch.Declare(log, 6, "It had come to 5."); err != nil || begun.Epoch != 6 {
		t.Errorf("begun %+v, %v", begun, err)
	}
	if _, err := epoch.Declare(log, 3, "Again."); !errors.Is(err, epoch.ErrEpochOver) {
		t.Errorf("an epoch that has begun: %v", err)
	}
	if _, err := epoch.Declare(log, 0, " "); !errors.Is(err, epoch.ErrNoReason) {
		t.Errorf("without a reason: %v", err)
	}
}
