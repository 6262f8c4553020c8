// Package alerting shows in tests which alerts of docs/operations/alerts.yaml fire, with
// Prometheus's own engine (promtool) and with what the program itself answers at /metrics.
//
//	line := alerting.NewTimeline(rules,
//		alerting.Phase{Lasts: time.Hour, Scrapes: …}, // before
//		alerting.Phase{Lasts: time.Hour, Scrapes: …}) // the disk is full
//	err := line.Check(ctx, expectations)
//
// Rules wait for minutes, hours and days, and tests do not. So a phase of a few seconds,
// scraped several times, is laid on a time line on which it lasts as long as the test
// says. What was really seen is the scrapes; what is made of them is this:
//
//   - A phase is prolonged, not slowed down: what went on for its few seconds goes on. A
//     counter grows at the pace at which it grew from the first to the last scrape, and
//     from phase to phase by as much as it did.
//   - A time stamp (a name that ends in _timestamp_seconds or _until_seconds) that moved
//     between the scrapes keeps its age. One that stood goes on standing, and grows old
//     on the time line. An age (_age_seconds) is the time stamp of when it was 0.
//   - Any other gauge has its values of the scrapes, in turn.
//   - A series that a scrape lacks is stale then, as in Prometheus. A process that did not
//     answer has up 0 and nothing else. One that is scraped no more has not even up.
//
// So a test shows that the cause moves the metrics, and that the rules see it. It does not
// show how the cause would develop within the hours, such as a disk that fills slowly.
//
// Nothing of the program imports this package.
package alerting
