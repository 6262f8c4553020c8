package account

import "frontdesk/adapters/staffweb/pagekit"

// history returns the newest entries of the history of the member's account.
func (s *Section) history(r *pagekit.Request) ([]pagekit.HistoryRow, error) {
	entries, err := s.History.Of(r.Context(), r.Tenant, r.Session.Staff, s.RealNow())
	if err != nil {
		return nil, err
	}
	return s.Site.History(r, entries, "in 30 days")
}
