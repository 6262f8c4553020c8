package opening

import (
	"net/url"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/parse"
)

// momentTyped reads a date and a time of the form in the practice's time zone. Of a
// repeated hour, the first counts. A skipped time is a fault.
func momentTyped(typed url.Values, field string, zone *time.Location) (at time.Time, wrong pagekit.Faulty) {
	date, clock := typed.Get(field+"-date"), typed.Get(field+"-time")
	switch {
	case date == "":
		return at, pagekit.Wrong(field+"-date", "Enter a date")
	case clock == "":
		return at, pagekit.Wrong(field+"-time", "Enter a time")
	}
	_, noTime := time.Parse("15:04", clock)
	if _, _, isDay := parse.Day(date, zone); !isDay || noTime != nil {
		return at, pagekit.Wrong(field+"-date", "Enter a date and a time, such as 2026-12-24 and 12:30")
	}
	at, ok := parse.Clock(date, clock, zone)
	if !ok {
		return time.Time{}, pagekit.Wrong(field+"-time", "Enter another time: the clocks go forward then, and this one is left out")
	}
	return at.UTC(), pagekit.Faulty{}
}

// endTyped reads an end; zero for none.
func endTyped(typed url.Values, zone *time.Location) (time.Time, pagekit.Faulty) {
	switch typed.Get("end") {
	case "never":
		return time.Time{}, pagekit.Faulty{}
	case "at":
		return momentTyped(typed, "until", zone)
	}
	return time.Time{}, pagekit.Wrong("end-at", "Choose until when")
}
