package staffweb

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// listed is what an application may do by endpoints, in the order of the
// catalogue. It leaves none out: an endpoint that the catalogue no longer has
// is shown by its name.
func listed(endpoints []application.Endpoint) []string {
	var texts []string
	left := slices.Clone(endpoints)
	for _, e := range access.Endpoints() {
		if i := slices.Index(left, e.Name); i >= 0 {
			texts = append(texts, e.Words)
			left = slices.Delete(left, i, i+1)
		}
	}
	for _, name := range left {
		texts = append(texts, "use “"+string(name)+"”")
	}
	return texts
}

// span is a duration as people say it, in the largest unit that divides it.
func span(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= unit.size && d%unit.size == 0 {
			return counted(int(d/unit.size), unit.name)
		}
	}
	return counted(int(math.Ceil(d.Seconds())), "second")
}

func counted(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}

// roundUp makes a wait easy to read without ever making it too short.
func roundUp(wait time.Duration) time.Duration {
	unit := time.Second
	if wait > 90*time.Second {
		unit = time.Minute
	}
	return (wait + unit - 1).Truncate(unit)
}

// seconds is a wait as the value of Retry-After.
func seconds(wait time.Duration) string {
	return strconv.Itoa(int(math.Ceil(wait.Seconds())))
}

// clock is an instant as the clocks of the practice show it.
func clock(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("3:04pm on Monday 2 January")
}
