package projections

import (
	"fmt"
	"sync"
	"time"
)

// locations are the time zones met so far, which [time.LoadLocation] would
// read from a file each time: at most those that there are.
var locations sync.Map // *time.Location by name

func location(name string) (*time.Location, error) {
	if known, ok := locations.Load(name); ok {
		return known.(*time.Location), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("load time zone: %w", err)
	}
	locations.Store(name, zone)
	return zone, nil
}
