package benchtest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"frontdesk/adapters/benchtest"
)

func TestQuantileInterpolates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of         []float64
		part, want float64
	}{
		{[]float64{3}, 0.5, 3}, {[]float64{3, 1}, 0.5, 2}, {[]float64{3, 1, 2}, 0.5, 2}, {[]float64{4, 1, 2, 3}, 0.25, 1.75}, {[]float64{1, 2}, 1, 2},
	} {
		if got := benchtest.Quantile(c.of, c.part); got != c.want {
			t.Errorf("%g of %v is %g, want %g", c.part, c.of, got, c.want)
		}
	}
}

func TestRepeatReturnsTheFirstError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	work, err := benchtest.Repeat(t.Context(), 4, time.Minute, func(context.Context) error { return broken })
	if !errors.Is(err, broken) || work.Done != 0 {
		t.Errorf("%v done, error %v", work.Done, err)
	}
}
