package pagekit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Dates and times are fields of text, which mean the same whatever the language of the
// browser.

// The hints and the faults of these fields.
const (
	DateHint       = "For example, 27 3 2026"
	DateError      = "Enter a date with a day, month and year, for example 27 3 2026"
	TimeHint       = "For example, 8:30am or 14:30"
	TimeError      = "Enter a time, for example 8:30am or 14:30"
	BirthDateHint  = "For example, 29 2 1980"
	BirthDateError = "Enter a date of birth with a day, month and year, for example 29 2 1980"
)

// dateForms are the forms of a date that people type. A year of two digits comes last,
// because it is less than certain.
var dateForms = []string{time.DateOnly, "2-1-2006", "2-January-2006", "2-Jan-2006", "02012006", "2-1-06", "020106"}

// parseDay parses a typed date, such as 29/2/1980, 29.2.80 or 29021980, and reports whether
// its year has two digits.
func parseDay(text string) (day time.Time, short, ok bool) {
	plain := strings.Join(dateParts(text), "-")
	for _, form := range dateForms {
		if day, err := time.Parse(form, plain); err == nil {
			return day, !strings.Contains(form, "2006"), true
		}
	}
	return day, false, false
}

// dateParts are the parts of a typed date.
func dateParts(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" /.,-\u2010\u2011\u2013", r) })
}

// ParseDate parses a typed date, as 2006-01-02.
func ParseDate(text string) (date string, ok bool) {
	day, _, ok := parseDay(text)
	if !ok {
		return "", false
	}
	return day.Format(time.DateOnly), true
}

// ParseBirthDate parses a typed date of birth; "" is no date, and is valid. A year of two
// digits is the last one that is not in the future.
func ParseBirthDate(text string, now time.Time) (date string, ok bool) {
	day, short, ok := parseDay(text)
	if !ok {
		return "", strings.TrimSpace(text) == ""
	}
	if short && day.After(now) {
		day = day.AddDate(-100, 0, 0)
	}
	return day.Format(time.DateOnly), true
}

// DateFault returns the fault of a typed text that is no date: the missing day, or else the
// general text.
func DateFault(text, general string) string {
	parts := dateParts(text)
	if len(parts) == 1 && len(parts[0]) == len("02012006") {
		parts = []string{parts[0][:2], parts[0][2:4], parts[0][4:]}
	}
	if len(parts) != 3 {
		return general
	}
	if len(parts[0]) == len("2006") {
		parts[0], parts[2] = parts[2], parts[0]
	}
	day, noDay := strconv.Atoi(parts[0])
	first, _, known := parseDay("1 " + parts[1] + " " + parts[2])
	if noDay != nil || !known || day < 29 || day > 31 {
		return general
	}
	return fmt.Sprintf("%d %s does not exist. Check the day and the month", day, first.Format("January 2006"))
}

// timeForms are the forms of a time that people type.
var timeForms = []string{"15:04", "15.04", "1504", "15", "3:04pm", "3.04pm", "3pm", "3:04PM", "3.04PM", "3PM"}

// ParseTime parses a typed time of day, such as 8:30, 0830, 8.30am or 8pm, as 15:04.
func ParseTime(text string) (clock string, ok bool) {
	plain := strings.ReplaceAll(strings.TrimSpace(text), " ", "")
	switch strings.ToLower(plain) {
	case "noon", "midday":
		plain = "12:00"
	case "midnight":
		plain = "00:00"
	}
	if _, err := strconv.Atoi(plain); err == nil && len(plain) == len("830") {
		plain = "0" + plain
	}
	for _, form := range timeForms {
		if at, err := time.Parse(form, plain); err == nil {
			return at.Format("15:04"), true
		}
	}
	return "", false
}

// FormatNHSNumber formats the ten digits of an NHS number in groups. Anything else stays as it is.
func FormatNHSNumber(n string) string {
	if len(n) != 10 {
		return n
	}
	return n[:3] + " " + n[3:6] + " " + n[6:]
}

// FormatBirthDate formats a date of birth; "" if unknown. Anything but a date stays as it
// is.
func FormatBirthDate(date string) string {
	on, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return Day(on, time.UTC)
}

// instant matches an instant in RFC 3339, as refusals of calls write it.
var instant = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})`)

// InstantsInWords replaces the instants in a text for programs by times at the practice.
func InstantsInWords(text string, zone *time.Location) string {
	return instant.ReplaceAllStringFunc(text, func(found string) string {
		at, err := time.Parse(time.RFC3339, found)
		if err != nil {
			return found
		}
		return Moment(at, zone)
	})
}
