package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// sampled are events of several nouns. The number of files that name an event is the cost of
// changing one.
var sampled = []struct{ noun, event string }{
	{"appointment", "Arrived"},
	{"appointment", "DidNotAttend"},
	{"appointment", "Moved"},
	{"consultation", "Started"},
	{"record", "NoteCreated"},
	{"request", "ReLinked"},
	{"request", "Reopened"},
}

// naming counts the files that name each of the sampled events, fewest first.
// An event that no file names is left out: it has another name today.
func (h *house) naming() []int {
	var counts []int
	for _, s := range sampled {
		if n := h.namingOne(s.noun, s.event); n > 0 {
			counts = append(counts, n)
		}
	}
	slices.Sort(counts)
	return counts
}

// namingOne counts the files that name an event by its type, or by the name
// that it is stored under.
func (h *house) namingOne(noun, event string) int {
	home := "domain/" + noun + "/"
	outside := regexp.MustCompile(`\b` + noun + `\.` + event + `\b`)
	inside := regexp.MustCompile(fmt.Sprintf(`(?m)^(type )?%[1]s\b|\(%[1]s\)|[^a-zA-Z]%[1]s\{`, event))
	stored := h.storedName(home, event)
	count := 0
	for file, source := range h.sources {
		if outside.MatchString(source) || stored != "" && strings.Contains(source, stored) ||
			strings.HasPrefix(file, home) && inside.MatchString(source) {
			count++
		}
	}
	return count
}

func (h *house) storedName(home, event string) string {
	method := regexp.MustCompile(`func \([a-z ]*` + event + `\) EventName\(\) string \{ return "([^"]+)"`)
	for file, source := range h.sources {
		if found := method.FindStringSubmatch(source); found != nil && strings.HasPrefix(file, home) {
			return found[1]
		}
	}
	return ""
}

// median is the middle one of sorted numbers, or the mean of the two in the middle.
func median(sorted []int) string {
	if len(sorted) == 0 {
		return "none"
	}
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return strconv.FormatFloat(float64(low+high)/2, 'f', -1, 64)
}
