package term

import (
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"frontdesk/commands/commandtest"
)

func TestTheLeastThatIsLoggedIsChosen_D108(t *testing.T) {
	t.Parallel()
	levels := []string{"debug", "info", "warn", "error"}
	for n, least := range levels {
		var out strings.Builder
		log := LogFlags{least}.Log(&out)
		for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
			log.Log(t.Context(), level, "said")
		}
		if got, want := strings.Count(out.String(), "said"), len(levels)-n; got != want || !strings.Contains(out.String(), strings.ToUpper(least)) {
			t.Errorf("from %s on, %d lines are written, want %d", least, got, want)
		}
	}
}

func TestATroubleThatLastsHasALineAMinute_D115(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log := LogFlags{"info"}.Log(&out)
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	at := func(second int, level slog.Level, log *slog.Logger, text string) {
		record := slog.NewRecord(noon.Add(time.Duration(second)*time.Second), level, text, 0)
		if err := log.Handler().Handle(t.Context(), record); err != nil {
			t.Fatal(err)
		}
	}
	first, second := log.With(slog.String("consumer", "first")), log.With(slog.String("consumer", "second"))
	for second := range 130 {
		at(second, slog.LevelWarn, log, "a worker waits")
		at(second, slog.LevelError, first, "a consumer stopped")
	}
	at(130, slog.LevelError, second, "a consumer stopped")
	at(130, slog.LevelError, second, "a consumer stopped for another reason")
	at(200, slog.LevelWarn, log, "a worker waits")
	for range 2 {
		at(200, slog.LevelInfo, log, "a call was served")
	}
	got := map[string]int{}
	for line := range strings.Lines(out.String()) {
		_, said, _ := strings.Cut(line, `"level":`)
		got[strings.TrimSpace(said)]++
	}
	want := map[string]int{
		`"WARN","msg":"a worker waits"}`:                                             1,
		`"WARN","msg":"a worker waits","repeated":59}`:                               2,
		`"WARN","msg":"a worker waits","repeated":9}`:                                1,
		`"ERROR","msg":"a consumer stopped","consumer":"first"}`:                     1,
		`"ERROR","msg":"a consumer stopped","consumer":"first","repeated":59}`:       2,
		`"ERROR","msg":"a consumer stopped","consumer":"second"}`:                    1,
		`"ERROR","msg":"a consumer stopped for another reason","consumer":"second"}`: 1,
		`"INFO","msg":"a call was served"}`:                                          2,
	}
	if !maps.Equal(got, want) {
		t.Errorf("the log is\n%swhich is %v", out.String(), got)
	}
}

func TestLinesOfCallsAreNeverLeftOut_D115(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log := NewLog(&out)
	for range 3 {
		log.Warn("call could not be served", slog.String("request_id", "the same, so that nothing but its name counts"))
	}
	if got := strings.Count(out.String(), "call could not be served"); got != 3 {
		t.Errorf("three calls have %d lines:\n%s", got, out.String())
	}
}

// A caller who can have lines written that are all different does not have them remembered.
func TestFewLinesAreRemembered_D115(t *testing.T) {
	t.Parallel()
	s := &recentLines{lines: map[string]*once{}}
	now := commandtest.Noon
	for n := range 1000 {
		if _, again := s.lately(fmt.Sprint("line ", n), now); again {
			t.Fatalf("line %d was left out, and was not written before", n)
		}
	}
	if len(s.lines) > maxRecent {
		t.Errorf("%d lines are remembered, want %d at most", len(s.lines), maxRecent)
	}
	now = now.Add(repeatWindow)
	s.lately("another", now)
	if _, again := s.lately("another", now); !again {
		t.Error("once the others are old, another is not remembered")
	}
}
