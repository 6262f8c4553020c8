package cli

import (
	"log/slog"
	"strings"
	"testing"
)

func TestTheLeastThatIsLoggedIsChosen_D108(t *testing.T) {
	t.Parallel()
	levels := []string{"debug", "info", "warn", "error"}
	for n, least := range levels {
		var out strings.Builder
		log := logFlags{least}.log(&out)
		for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
			log.Log(t.Context(), level, "said")
		}
		if got, want := strings.Count(out.String(), "said"), len(levels)-n; got != want || !strings.Contains(out.String(), strings.ToUpper(least)) {
			t.Errorf("from %s on, %d lines are written, want %d", least, got, want)
		}
	}
}
