// Package hours is the opening hours of a week, as a practice writes them on
// its door.
//
// Rules
//  1. An [Interval] is a stretch `[open, close)` of one weekday. If its close is
//     not after its open, it spans midnight and closes on the next day.
//  2. A [Week] is several intervals that do not overlap. A week without any is
//     open at all hours.
//  3. Hours mean the clock on the practice's wall. When that clock goes forward,
//     the time that it skips never comes; when it goes back, the time that it
//     repeats comes twice.
package hours
