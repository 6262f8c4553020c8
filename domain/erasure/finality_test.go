package erasure_test

import (
	"strings"
	"testing"
	"time"

	"frontdesk/domain/erasure"
)

func TestFinalityDescribesBackups_D136(t *testing.T) {
	t.Parallel()
	first, second := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 2, 0, 0, 0, 0, time.UTC)
	date := func(at time.Time) string { return at.Format(time.DateOnly) }
	for name, c := range map[string]struct {
		is    erasure.Finality
		final bool
		want  string
	}{
		"in use":    {erasure.Finality{}, false, "becomes final after the master key has been rotated."},
		"replaced":  {erasure.Finality{From: first}, false, "can become final from 2026-03-02."},
		"destroyed": {erasure.Finality{From: first, Since: second}, true, "is final since 2026-04-02."},
		"early":     {erasure.Finality{Since: second}, true, "is final since 2026-04-02."},
	} {
		got := c.is.Sentence(date)
		if c.is.Final() != c.final || !strings.Contains(got, c.want) || strings.Contains(got, erasure.Reach) == c.final {
			t.Errorf("%s: final %t: %s", name, c.is.Final(), got)
		}
	}
}
