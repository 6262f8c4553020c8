// Package live notifies browsers of changes at their practice, by server-sent events
// (D87).
//
//	Hub.Run     ── reads the log for all browsers of the process, as far as the read
//	               models show it, and pauses without listeners
//	Hub.Join    ── a stream of one browser, from the idx of its page
//	Stream.next ── its new messages
//	Hub.Serve   ── writes them, and checks access again every 20 s
//
// A message names the change, never the patient: the page fetches its content itself,
// with its own rights. The id of a message is the idx of its event. So a browser that
// reconnects sends the last id that it received, and gets all messages since. If they
// are no longer kept, it is sent a reset and reloads.
//
// Messages are kept once for a whole practice, up to 256. A browser that does not read
// is disconnected by the write deadline.
package live
