package opening

import (
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/practice/hours"
)

// weekdays are the days with their names in fields and on pages.
var weekdays = []struct {
	day, name string
	of        time.Weekday
}{
	{"mon", "Monday", time.Monday}, {"tue", "Tuesday", time.Tuesday}, {"wed", "Wednesday", time.Wednesday}, {"thu", "Thursday", time.Thursday},
	{"fri", "Friday", time.Friday}, {"sat", "Saturday", time.Saturday}, {"sun", "Sunday", time.Sunday},
}

// The minimum of stretches of a day in the form, and the maximum that is read.
const (
	fewStretches  = 2
	mostStretches = 24
)

// weekday is one day of the form of opening hours: a row.
type weekday struct {
	Name      string
	Same      string // the field that repeats Monday; "" on Monday
	IsSame    bool
	Stretches []stretch
	Faults    []string
}

// stretch is a pair of fields.
type stretch struct {
	FromID, UntilID string
	From, Until     string
	Number          int // on its day
	Wrong           bool
}

func fields(day string, n int) (from, until string) {
	return fmt.Sprintf("%s-from-%d", day, n), fmt.Sprintf("%s-until-%d", day, n)
}

// sameField is the field by which a day repeats Monday; "" for Monday.
func sameField(day string) string {
	if day == weekdays[0].day {
		return ""
	}
	return day + "-same"
}

// isSame reports whether a day repeats Monday, whatever its own fields say.
func isSame(typed url.Values, day string) bool { return typed.Has(sameField(day)) }

// withWeek is the typed values, and a week as if it had been typed.
func withWeek(typed url.Values, week hours.Week) url.Values {
	filled := url.Values{"when": {"always"}}
	maps.Copy(filled, typed)
	if len(week) > 0 {
		filled.Set("when", "hours")
	}
	taken := map[time.Weekday]int{}
	for _, i := range week {
		from, until := fields(weekdays[(i.Day+6)%7].day, taken[i.Day])
		taken[i.Day]++
		filled.Set(from, i.Open.String())
		filled.Set(until, i.Close.String())
	}
	return filled
}

// weekOf is the form with the typed values. Each day has as many stretches as the longest.
func weekOf(typed url.Values, wrong pagekit.FormErrors) (days []weekday) {
	most := fewStretches
	for _, d := range weekdays {
		for n := most; n < mostStretches; n++ {
			if from, until := fields(d.day, n); typed.Get(from) != "" || typed.Get(until) != "" {
				most = n + 1
			}
		}
	}
	for _, d := range weekdays {
		day := weekday{Name: d.name, Same: sameField(d.day), IsSame: isSame(typed, d.day)}
		for n := range most {
			from, until := fields(d.day, n)
			fault := wrong.Fault(from)
			if fault != "" {
				day.Faults = append(day.Faults, fault)
			}
			day.Stretches = append(day.Stretches, stretch{from, until, typed.Get(from), typed.Get(until), n + 1, fault != ""})
		}
		days = append(days, day)
	}
	return days
}

// firstStretch is the field of a fault of the whole week.
const firstStretch = "mon-from-0"

// parseHours reads the week of the form, as hours.Parse does. A week that is always
// open has its own choice: a form without hours is a mistake.
func parseHours(typed url.Values) (texts []string, wrong pagekit.FormErrors) {
	switch typed.Get("when") {
	case "always":
		return nil, pagekit.FormErrors{}
	case "hours":
	default:
		return nil, pagekit.FormError("when-always", "Choose when these requests are taken")
	}
	for _, d := range weekdays {
		source, same := d.day, isSame(typed, d.day)
		if same {
			source = weekdays[0].day
		}
		for n := range mostStretches {
			from, until := fields(source, n)
			text, fault := parseStretch(d.day, typed.Get(from), typed.Get(until))
			switch {
			case fault != "" && same: // Monday has it
			case fault != "":
				wrong = wrong.With(from, d.name+": "+fault)
			case text != "":
				texts = append(texts, text)
			}
		}
	}
	if len(texts)+len(wrong.Faults) == 0 {
		return nil, pagekit.FormError(firstStretch, "Enter the hours of at least one day, or choose all hours")
	}
	return texts, wrong
}

// parseStretch reads one stretch of a day; "" if it is empty.
func parseStretch(day, from, until string) (text, fault string) {
	from, until = strings.TrimSpace(from), strings.TrimSpace(until)
	switch {
	case from == "" && until == "":
		return "", ""
	case from == "":
		return "", "enter when the practice opens"
	case until == "":
		return "", "enter when the practice closes"
	}
	opens, first := parseTime(from)
	closes, second := parseTime(until)
	if closes == "00:00" {
		closes = "24:00"
	}
	text = day + " " + opens + "-" + closes
	if _, err := hours.ParseInterval(text); !first || !second || err != nil {
		return "", "enter two different times, such as 08:00 and 18:30"
	}
	return text, ""
}

// parseTime reads a typed time, or the end of a day.
func parseTime(text string) (clock string, ok bool) {
	if text == "24:00" {
		return text, true
	}
	return pagekit.ParseTime(text)
}

// hoursInWords describes a week, a line for each day with hours; none if it is always
// open.
func hoursInWords(week hours.Week) (lines []string) {
	for _, d := range weekdays {
		var times []string
		for _, i := range week {
			if i.Day == d.of {
				times = append(times, clockInWords(i.Open)+" to "+clockInWords(i.Close))
			}
		}
		if len(times) > 0 {
			lines = append(lines, d.name+" "+strings.Join(times, " and "))
		}
	}
	return lines
}

// clockInWords formats a time of a day as all pages do.
func clockInWords(c hours.Clock) string {
	at := time.Time{}.Add(time.Duration(c) * time.Minute)
	return middayInWords(pagekit.TimeOfDay(at, time.UTC))
}
