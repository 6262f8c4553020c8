package httpapi_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/httpapi"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
)

// allowed is how many of n calls at once are allowed.
func allowed(l *httpapi.RateLimit, id application.ID, n int) (count int) {
	for range n {
		if l.Allow(id) == nil {
			count++
		}
	}
	return count
}

func TestEachApplicationHasABucketOfItsOwn_D19(t *testing.T) {
	t.Parallel()
	now := written
	limit := httpapi.NewRateLimit(2.5, func() time.Time { return now })
	one, two := application.ID{UUID: uuid.New()}, application.ID{UUID: uuid.New()}

	if got := allowed(limit, one, 10); got != 3 {
		t.Errorf("%d calls at once are allowed, want 3", got)
	}
	if got := allowed(limit, two, 10); got != 3 {
		t.Errorf("%d calls of another application are allowed, want 3", got)
	}
	now = now.Add(400 * time.Millisecond)
	if got := allowed(limit, one, 10); got != 1 {
		t.Errorf("%d calls are allowed after 400 ms, want 1", got)
	}
	now = now.Add(time.Hour)
	if got := allowed(limit, one, 10); got != 3 {
		t.Errorf("%d calls are allowed after an hour, want 3", got)
	}
}

func TestARefusalSaysWhenThereIsRoomAgain_D19(t *testing.T) {
	t.Parallel()
	now := written
	limit := httpapi.NewRateLimit(0.1, func() time.Time { return now })
	id := application.ID{UUID: uuid.New()}
	if err := limit.Allow(id); err != nil {
		t.Fatal(err)
	}
	for range 3 { // asking does not make it later
		now = now.Add(time.Second)
		f, ok := errors.AsType[*fault.Error](limit.Allow(id))
		if !ok || f.Kind != fault.RateLimited || !f.RetryAt.Equal(written.Add(10*time.Second)) {
			t.Errorf("after %s: %+v", now.Sub(written), f)
		}
	}
	now = written.Add(10 * time.Second)
	if err := limit.Allow(id); err != nil {
		t.Errorf("at the promised time: %v", err)
	}
}
