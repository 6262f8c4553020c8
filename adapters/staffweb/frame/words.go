package frame

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/staff"
)

// Listed says what an application may do with these endpoints, in the order of the
// catalogue. An endpoint that the catalogue no longer has is shown by its name, so
// that none is left out.
func Listed(endpoints []application.EndpointName) []string {
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

// RoleNames are the roles as people say them.
var RoleNames = map[staff.Role]string{
	staff.Receptionist: "receptionist", staff.Clinician: "clinician", staff.Manager: "manager", staff.PrivacyOfficer: "privacy officer",
}

// NamesOf says which roles somebody has.
func NamesOf(roles staff.Roles) string {
	if len(roles) == 0 {
		return "no role"
	}
	return joined(roles, "", " and ")
}

// AllOf says who has one of some roles.
func AllOf(roles []staff.Role) string { return joined(roles, "a ", " or ") }

func joined(roles []staff.Role, article, last string) string {
	text := ""
	for i, role := range roles {
		switch {
		case i > 0 && i == len(roles)-1:
			text += last
		case i > 0:
			text += ", "
		}
		text += article + RoleNames[role]
	}
	return text
}

// Plain is a name where it cannot be isolated from the text around it, as in a title:
// without characters that are not seen, or that turn the direction of what follows.
func Plain(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.Cc, unicode.Bidi_Control) {
			return -1
		}
		return c
	}, name)
}

// Clock writes an instant as the clocks of the practice show it.
func Clock(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("3:04pm on Monday 2 January")
}

// Span writes a duration as people say it, in the largest unit that divides it.
func Span(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= unit.size && d%unit.size == 0 {
			return Counted(int(d/unit.size), unit.name)
		}
	}
	return Counted(int(math.Ceil(d.Seconds())), "second")
}

func Counted(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}

// RoundUp makes a wait easy to read without ever making it too short.
func RoundUp(wait time.Duration) time.Duration {
	unit := time.Second
	if wait > 90*time.Second {
		unit = time.Minute
	}
	return (wait + unit - 1).Truncate(unit)
}

// Seconds writes a wait as the value of Retry-After.
func Seconds(wait time.Duration) string {
	return strconv.Itoa(int(math.Ceil(wait.Seconds())))
}

// Day writes the day of an instant at the practice.
func Day(t time.Time, zone *time.Location) string { return t.In(zone).Format("2 January 2006") }
