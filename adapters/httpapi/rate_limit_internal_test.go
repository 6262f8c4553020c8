package httpapi

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
)

func TestTheBucketsAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	limit := NewRateLimit(1, func() time.Time { return now })
	busy := application.ID{UUID: uuid.New()}
	for range maxBuckets {
		_ = limit.Allow(application.ID{UUID: uuid.New()})
	}
	if len(limit.buckets) != maxBuckets {
		t.Fatalf("%d buckets", len(limit.buckets))
	}
	_ = limit.Allow(busy) // nobody's is full: all are forgotten
	if len(limit.buckets) != 1 {
		t.Errorf("%d buckets, want 1", len(limit.buckets))
	}
	for range maxBuckets - 1 {
		_ = limit.Allow(application.ID{UUID: uuid.New()})
	}
	now = now.Add(time.Minute)
	_ = limit.Allow(busy)
	_ = limit.Allow(application.ID{UUID: uuid.New()}) // all but one are full: the busy one is kept
	if len(limit.buckets) != 2 || limit.Allow(busy) == nil {
		t.Errorf("%d buckets, want the busy one and a new one", len(limit.buckets))
	}
}
