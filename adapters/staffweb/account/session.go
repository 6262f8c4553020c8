package account

import "frontdesk/adapters/staffweb/pagekit"

// session tells a page's script how long the session lasts. It is no activity.
func (s *Section) session(r *pagekit.Request) error { return s.RespondSession(r) }

// staySignedIn is activity of the member, who presses a button or types.
func (s *Section) staySignedIn(r *pagekit.Request) error {
	if r.SignedIn && !r.HasToken("session") {
		return pagekit.ErrStale
	}
	return s.RespondSession(r)
}
