package opening

import (
	"net/url"
	"time"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/domain/parse"
)

// momentTyped reads a date and a time of the form in the practice's time zone. Of a
// repeated hour, the first counts. A skipped time is a fault.
func momentTyped(typed url.Values, field string, zone *time.Location) (at time.Time, wrong frame.Faulty) {
	date, clock := typed.Get(field+"-date"), typed.Get(field+"-time")
	switch {
	case date == "":
		return at, frame.Wrong(field+"-date", "Enter a date")
	case clock == "":
		return at, frame.Wrong(field+"-time", "Enter a time")
	}
	_, noTime := time.Parse("15:04", clock)
	if _, _, isDay := parse.Day(date, zone); !isDay || noTime != nil {
		return at, frame.Wrong(field+"-date", "Enter a date and a time, such as 2026-12-24 and 12:30")
	}
	at, ok := parse.Clock(date, clock, zone)
	if !ok {
		return time.Time{}, frame.Wrong(field+"-time", "Enter another time: the clocks go forward then, and this one is left out")
	}
	return at.UTC(), frame.Faulty{}
}

// endTyped reads an end; zero for none.
func endTyped(typed url.Values, zone *time.Location) (time.Time, frame.Faulty) {
	switch typed.Get("end") {
	case "never":
		return time.Time{}, frame.Faulty{}
	case "at":
		return momentTyped(typed, "until", zone)
	}
	return time.Time{}, frame.Wrong("end-at", "Choose until when")
}
