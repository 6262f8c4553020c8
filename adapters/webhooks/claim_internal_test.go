package webhooks

import (
	"testing"
	"time"
)

// An unfinished delivery counts as lost once its own sender has certainly given up:
// after 20 s with the timeout of §6.3.
func TestWhenADeliveryIsTakenForLost_D29(t *testing.T) {
	t.Parallel()
	for limit, want := range map[time.Duration]time.Duration{
		time.Second: 20 * time.Second, 10 * time.Second: 20 * time.Second, time.Minute: 70 * time.Second,
	} {
		s := Sender{Timeout: limit}
		if got := s.unknownAfter(); got != want {
			t.Errorf("with a limit of %s: after %s, want %s", limit, got, want)
		}
	}
}
