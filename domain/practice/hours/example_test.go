package hours_test

import (
	"fmt"
	"time"

	"frontdesk/domain/practice/hours"
)

// Hours are in the local time of the practice. On the last weekend of March 2026 the
// clocks of London go forward.
func ExampleWeek_Next() {
	week, err := hours.Parse([]string{"fri 08:00-12:30", "mon 08:00-12:30"})
	if err != nil {
		fmt.Println(err)
		return
	}
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		fmt.Println(err)
		return
	}
	friday := time.Date(2026, 3, 27, 9, 15, 0, 0, time.UTC)
	fmt.Println(week.Texts())
	fmt.Println(week.Next(friday, london).UTC())
	fmt.Println(week.Next(friday.Add(4*time.Hour), london).UTC())
	// Output:
	// [mon 08:00-12:30 fri 08:00-12:30]
	// 2026-03-27 09:15:00 +0000 UTC
	// 2026-03-30 07:00:00 +0000 UTC
}

func ExampleParse() {
	_, err := hours.Parse([]string{"mon 8-12:30"})
	fmt.Println(err)
	_, err = hours.Parse([]string{"mon 22:00-06:00", "tue 05:00-12:00"})
	fmt.Println(err)
	// Output:
	// invalid-hours: Write "mon 8-12:30" like "mon 08:00-12:30".
	// overlapping-hours: "mon 22:00-06:00" must not overlap "tue 05:00-12:00".
}
