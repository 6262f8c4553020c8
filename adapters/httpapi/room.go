package httpapi

import "io"

// room bounds how many calls do something at once.
type room chan struct{}

// enter reports whether there was a place. Whoever has one leaves it later.
func (r room) enter() bool {
	select {
	case r <- struct{}{}:
		return true
	default:
		return false
	}
}

func (r room) leave() { <-r }

// seat is a place in a room, taken when it is first needed. A nil seat is
// always free.
type seat struct {
	room  room
	taken bool
}

func (s *seat) take() error {
	if s == nil || s.taken {
		return nil
	}
	if s.taken = s.room.enter(); !s.taken {
		return errBusy
	}
	return nil
}

func (s *seat) leave() {
	if s.taken {
		s.room.leave()
		s.taken = false
	}
}

// smallInline is the JSON of a body that nobody needs a seat for.
const smallInline = 64 << 10

// inline bounds the JSON of a body that is held in memory: for one call, and
// for all calls that need much.
type inline struct {
	r    io.Reader
	n    int
	seat *seat
}

// Read implements [io.Reader].
func (i *inline) Read(p []byte) (int, error) {
	n, err := i.r.Read(p)
	i.n += n
	if i.n > maxInline {
		return 0, errTooLarge
	}
	if i.n > smallInline {
		if err := i.seat.take(); err != nil {
			return 0, err
		}
	}
	return n, err
}
