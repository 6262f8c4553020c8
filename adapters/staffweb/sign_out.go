package staffweb

import "net/http"

// signOut ends the session for every browser that shows it, and goes back to
// what the browser was sent for.
func (p *Pages) signOut(v *visit) error {
	if v.signedIn {
		if !v.owns("sign-out") {
			return errStale
		}
		if err := p.Desk.Sessions.End(v.ctx(), v.practice.Tenant, v.session.Token); err != nil {
			return err
		}
	}
	http.SetCookie(v.w, p.cookie(v, ""))
	query := v.ask.query()
	if query == "" {
		query = "?signed-out"
	}
	return v.goTo(v.base() + "/sign-in" + query)
}
