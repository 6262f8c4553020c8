// Package alerting shows in tests which alerts of docs/operate/alerts.yaml fire, with
// Prometheus's own engine (promtool) and the program's own answers at /metrics.
//
//	line := alerting.NewTimeline(rules,
//		alerting.Phase{Lasts: time.Hour, Scrapes: …}, // before
//		alerting.Phase{Lasts: time.Hour, Scrapes: …}) // the disk is full
//	err := line.Check(ctx, expectations)
//
// Rules wait for minutes, hours and days, and tests do not. So a phase of a few seconds,
// scraped several times, is laid on a time line on which it lasts as long as the test
// requires. Only the scrapes are real; the time line is made from them:
//
//   - A phase is prolonged, not slowed down: changes during its few seconds continue. A
//     counter grows at the pace at which it grew from the first to the last scrape, and
//     from phase to phase by as much as it did.
//   - A time stamp (a name that ends in _timestamp_seconds, _until_seconds or _cert_expiry) that moved
//     between the scrapes keeps its age. One that did not move stays, and grows old on
//     the time line. An age (_age_seconds, _lag_seconds) is the time stamp of when it was 0.
//   - Any other gauge has its values of the scrapes, in turn.
//   - A series that a scrape lacks is stale then, as in Prometheus. A process that did not
//     answer has only up 0. One that is no longer scraped does not even have up.
//
// So a test shows that the cause moves the metrics, and that the rules detect it. It does not
// show how the cause would develop within the hours, such as a disk that fills slowly.
//
// The program does not import this package.
package alerting
