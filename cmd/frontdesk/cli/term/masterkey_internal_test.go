package term

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestACommandThatDoesNotEndIsNotWaitedFor_D108(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // less than a command has
	defer cancel()
	for _, words := range [][]string{{"sleep", "600"}, {"sh", "-c", "sleep 600 & wait"}} { // a process that it has started holds the pipe
		if _, err := printedKeys(ctx, words); err == nil || !strings.Contains(err.Error(), "it has not ended within") {
			t.Errorf("%v: %v", words, err)
		}
	}
}
