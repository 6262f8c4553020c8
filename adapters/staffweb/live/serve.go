package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// AccessCheck reports whether the listener still has access.
type AccessCheck func(context.Context) (bool, error)

// maxDelay is the delay of the read models from which pages show a warning.
const maxDelay = 10 * time.Second

// Control messages to a page, known to the script.
const (
	wordBeat  = "beat"  // heartbeat
	wordLate  = "late"  // heartbeat, and the read models are late
	wordReset = "reset" // messages may have been missed
	wordEnded = "ended" // the browser no longer has access
	wordMany  = "many"  // the owner has started too many others
)

// Serve answers with a stream until the browser disconnects or loses access, its owner
// has started too many others, or the process stops. Then the stream leaves. Each write
// needs a deadline, such as that of httpx.WriteDeadline.
func (h *Hub) Serve(ctx context.Context, w http.ResponseWriter, s *Stream, still AccessCheck) {
	defer s.Leave()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // for nginx
	w.Header().Set("Connection", "close")     // so that a reconnecting browser may reach another process
	h.metrics.streamEnded(h.serve(ctx, &output{w: w}, s, still))
}

// serve returns why the stream has ended, for metrics.
func (h *Hub) serve(ctx context.Context, out *output, s *Stream, still AccessCheck) (why string) {
	beats := time.NewTicker(h.Beat)
	defer beats.Stop()
	out.retryAfter(s.number)
	for word := ""; ; {
		n := s.next()
		out.writeMessages(n)
		out.writeControl(word, n.upto)
		if out.send() != nil {
			return "gone"
		}
		word = ""
		select {
		case <-ctx.Done():
			return "gone"
		case <-h.closed:
			return "stopping"
		case <-s.replaced:
			return out.end(wordMany, n.upto)
		case <-n.more:
		case <-beats.C:
			may, err := still(ctx)
			if err != nil {
				return "unknown" // the browser reconnects and is checked again
			}
			if !may {
				return out.end(wordEnded, n.upto)
			}
			word = h.state()
		}
	}
}

// state returns the heartbeat: normal or late.
func (h *Hub) state() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.now().Sub(h.upToDate) > maxDelay {
		return wordLate
	}
	return wordBeat
}

// output collects messages to send together.
type output struct {
	w    http.ResponseWriter
	text bytes.Buffer
}

// retryAfter spreads the reconnections after a process has stopped.
func (o *output) retryAfter(number int) {
	fmt.Fprintf(&o.text, "retry: %d\n\n", 1000+number*37%2000)
}

// writeMessages writes messages. Only the last message of an idx has its id, so that a
// browser that has received half of them gets them again.
func (o *output) writeMessages(n update) {
	if n.reset {
		o.writeControl(wordReset, n.upto)
	}
	for i, m := range n.messages {
		if i+1 == len(n.messages) || n.messages[i+1].Idx > m.Idx {
			fmt.Fprintf(&o.text, "id: %d\n", m.Idx)
		}
		data, _ := json.Marshal(jsonMessage{m.Topic.String(), m.What, m.ID.String()}) // strings only, so it cannot fail
		fmt.Fprintf(&o.text, "data: %s\n\n", data)
	}
}

// jsonMessage is a message in JSON.
type jsonMessage struct {
	Topic string `json:"topic"`
	What  string `json:"what"`
	ID    string `json:"id"`
}

// writeControl writes a control message, with the idx up to which messages were sent.
func (o *output) writeControl(word string, upto int64) {
	if word != "" {
		fmt.Fprintf(&o.text, "event: %s\nid: %d\ndata: {}\n\n", word, upto)
	}
}

// end writes the last control message, which is also the reason for the end.
func (o *output) end(word string, upto int64) string {
	o.writeControl(word, upto)
	_ = o.send() // the stream ends in any case
	return word
}

// send sends the collected messages, if there are any.
func (o *output) send() error {
	if o.text.Len() == 0 {
		return nil
	}
	if _, err := o.text.WriteTo(o.w); err != nil {
		return err
	}
	return http.NewResponseController(o.w).Flush()
}
