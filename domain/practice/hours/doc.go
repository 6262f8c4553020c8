// Package hours is the opening hours of a week, as a practice publishes them.
//
// Rules
//  1. An [Interval] is a period `[open, close)` of one weekday. If its close is not
//     after its open, it spans midnight and closes on the next day.
//  2. A [Week] is several intervals that do not overlap. A week without any is open
//     at all hours.
//  3. Hours are in the local time of the practice. When clocks go forward, the
//     skipped time does not exist; when they go back, the repeated time comes twice.
package hours
