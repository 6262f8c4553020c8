package app

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestStagesStopInReverse_D47(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan string, 5)
		work := func(name string, toEnd time.Duration) task {
			return task{name, func(ctx context.Context) {
				<-ctx.Done()
				time.Sleep(toEnd)
				ended <- name
			}}
		}
		ctx, cancel := context.WithCancel(t.Context())
		failed := errors.New("a listener has failed")
		err := during(ctx, [][]task{
			{work("sequencer", 0)},
			{work("consumer", time.Second), work("slow consumer", time.Minute)},
			{work("recorder", time.Hour)},
		}, func() error {
			cancel() // the order to stop reaches the calls first
			time.Sleep(time.Second)
			ended <- "calls"
			return failed
		})
		close(ended)
		var events []string
		for name := range ended {
			events = append(events, name)
		}
		want := []string{"calls", "recorder", "consumer", "slow consumer", "sequencer"}
		if !errors.Is(err, failed) || !slices.Equal(events, want) {
			t.Errorf("stopped %v with %v, want %v", events, err, want)
		}
	})
}
