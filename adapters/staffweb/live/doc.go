// Package live tells browsers what has changed at their practice, by server-sent events
// (D87).
//
//	Hub.Run     ── looks at the log for all browsers of the process, as far as the read
//	               models show it, and rests while nobody listens
//	Hub.Join    ── a stream of one browser, from the idx on that its page shows
//	Stream.next ── what has come for it
//	Hub.Serve   ── writes that, and asks every 20 s whether the browser may still listen
//
// A message says what has changed and never whose it is: the page asks for what it shows
// by itself, with its own rights. The id of a message is the idx of its event. So a browser
// that comes back names the last one that it was told, and is told of everything since. If
// that is no longer known, it is told to begin anew (reset).
//
// What waits for a browser is kept once for its whole practice, and no more than 256
// messages. A browser that does not read is cut off by the deadline of its answer.
package live
