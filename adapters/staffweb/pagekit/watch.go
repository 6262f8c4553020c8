package pagekit

import (
	"encoding/json"
	"net/http"
	"time"
)

// watch tells a page's script whose session the browser has, and for how long. Spans are
// in milliseconds, because the browser's clock may be wrong.
type watch struct {
	Member string `json:"member"` // "" without a session
	Idle   int64  `json:"idle"`   // until it ends without activity
	Limit  int64  `json:"limit"`  // until it ends in any case

	Script  string `json:"-"`
	Token   string `json:"-"` // of the form that counts as activity
	Address string `json:"-"` // of the page, if the browser shows another; "" if not
}

func (s *Site) watch(r *Request) *watch {
	if !r.SignedIn {
		return &watch{}
	}
	until := func(at time.Time) int64 { return max(0, at.Sub(s.RealNow()).Milliseconds()) }
	return &watch{
		Member: r.Session.Staff.String(), Idle: until(r.Session.IdleAt), Limit: until(r.Session.EndsAt),
		Script: sessionURL, Token: r.Token("session"), Address: r.address,
	}
}

// RespondSession answers the script that watches the session (D151).
func (s *Site) RespondSession(r *Request) error {
	content, err := json.Marshal(s.watch(r))
	if err != nil {
		return err
	}
	r.status, r.quiet = http.StatusOK, r.isAutomatic()
	r.Respond("application/json", content)
	return nil
}
