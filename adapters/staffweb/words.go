package staffweb

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"frontdesk/domain/application"
)

// words say what an application may do by each endpoint, to people who do not
// know what an endpoint is.
var words = map[application.Endpoint]string{
	application.CreatePatientRequest:    "send patient requests to the practice",
	application.RequestTypeAvailability: "see which kinds of patient request the practice takes at the moment",
	application.RetrieveCareRecord:      "look at patients’ care records",
	application.OpenCareRecord:          "open patients’ care records",
	application.CreateNote:              "add notes to patients’ care records",
	application.BookAppointment:         "book appointments",
	application.CallInPatient:           "call patients in for their appointments",
	application.ClearCallIn:             "take back that a patient was called in",
	application.MarkDidNotAttend:        "record that a patient did not attend",
	application.StartConsultation:       "start consultations",
}

// listed puts endpoints in the order of the program's own list.
func listed(endpoints []application.Endpoint) []string {
	order := application.Endpoints()
	sorted := slices.SortedStableFunc(slices.Values(endpoints), func(a, b application.Endpoint) int {
		return cmp.Compare(slices.Index(order, a), slices.Index(order, b))
	})
	texts := make([]string, len(sorted))
	for i, e := range sorted {
		texts[i] = inWords(e)
	}
	return texts
}

// inWords shows an endpoint without words by its name; none is ever left out.
func inWords(e application.Endpoint) string {
	if text, ok := words[e]; ok {
		return text
	}
	return "use “" + string(e) + "”"
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
