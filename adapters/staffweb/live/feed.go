package live

import (
	"cmp"
	"slices"

	"frontdesk/adapters/background"
)

// feed is the messages for the streams of one practice. The hub's lock guards it.
type feed struct {
	messages []Message // in the order of the log
	dropped  int64     // idx of the newest message that was dropped
	more     background.Broadcast
}

// mostKept limits the messages of a practice that are kept for reconnecting browsers.
const mostKept = 256

// feed returns the feed of a practice.
func (h *Hub) feed(tenant string) *feed {
	f, ok := h.feeds[tenant]
	if !ok {
		f = &feed{}
		h.feeds[tenant] = f
	}
	return f
}

// keep adds messages, and drops the oldest over the limit.
func (f *feed) keep(messages []Message) {
	f.messages = append(f.messages, messages...)
	old := len(f.messages) - mostKept
	if old <= 0 {
		return
	}
	f.dropped = f.messages[old-1].Idx
	f.messages = slices.Delete(f.messages, 0, old)
}

// after returns the messages of topics after an idx.
func (f *feed) after(idx int64, topics []Topic) (found []Message) {
	first, _ := slices.BinarySearchFunc(f.messages, idx+1, func(m Message, idx int64) int { return cmp.Compare(m.Idx, idx) })
	for _, m := range f.messages[first:] {
		if slices.Contains(topics, m.Topic) {
			found = append(found, m)
		}
	}
	return found
}
