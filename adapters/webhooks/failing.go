package webhooks

import (
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	failsAfter  = 5         // failed attempts in a row
	forgetAfter = time.Hour // without an attempt
)

// failing counts the receivers that fail. No metric names one: the record of deliveries does.
type failing struct {
	now func() time.Time

	mu       sync.Mutex
	inARow   map[uuid.UUID]failures // by destination, since its last success
	lastLook time.Time              // for forgetting
}

type failures struct {
	count int
	last  time.Time
}

// ended notes how an attempt ended. A webhook that this program could not build is no
// failure of its receiver.
func (f *failing) ended(o outcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case o.status == Delivered:
		delete(f.inARow, o.destination)
	case o.status == Failed && o.reason != NotBuilt:
		f.inARow[o.destination] = failures{f.inARow[o.destination].count + 1, o.at}
	}
	if o.at.Sub(f.lastLook) > forgetAfter {
		f.forget(o.at)
	}
}

// forget drops the receivers that nothing is sent to now. The caller has the lock.
func (f *failing) forget(now time.Time) {
	for destination, seen := range f.inARow {
		if now.Sub(seen.last) > forgetAfter {
			delete(f.inARow, destination)
		}
	}
	f.lastLook = now
}

// receivers returns how many fail.
func (f *failing) receivers() (count float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(f.now())
	for _, seen := range f.inARow {
		if seen.count >= failsAfter {
			count++
		}
	}
	return count
}
