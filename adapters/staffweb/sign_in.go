package staffweb

import (
	"errors"
	"log/slog"
	"net/http"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/domain/fault"
)

// signInPage is what the sign-in page shows.
type signInPage struct {
	For       string // the application that sent the browser; "" for none
	SignedOut bool
	Username  string // as it was typed
	Faults    []fieldFault
}

// fieldFault is what is wrong with a field.
type fieldFault struct{ Field, Text string }

// Fault is what is wrong with one field; "" if nothing.
func (s signInPage) Fault(field string) string {
	for _, f := range s.Faults {
		if f.Field == field {
			return f.Text
		}
	}
	return ""
}

// signInForm asks who is there, unless it is known.
func (p *Pages) signInForm(v *visit) error {
	if v.signedIn {
		return p.onward(v)
	}
	return p.askWho(v, http.StatusOK, signInPage{SignedOut: v.form.Has("signed-out")})
}

func (p *Pages) askWho(v *visit, status int, page signInPage) error {
	if !v.ask.empty() {
		request, err := p.judge(v.ctx(), v.practice.Tenant, v.ask, v.session.Staff)
		if err != nil {
			return err
		}
		page.For = request.Name
	}
	title := "Sign in"
	if len(page.Faults) > 0 {
		title = "Error: " + title
	}
	p.show(v, view{name: "sign_in", status: status, title: title, content: page})
	return nil
}

// onward goes to what the browser was sent for.
func (p *Pages) onward(v *visit) error {
	if v.ask.empty() {
		return v.goTo(v.base() + "/authorisations")
	}
	return v.goTo(v.base() + "/authorise" + v.ask.query())
}

// signIn begins a session, in place of the one that the browser may have.
func (p *Pages) signIn(v *visit) error {
	page := signInPage{Username: v.form.Get("username")}
	password := v.form.Get("password")
	if page.Faults = missing(page.Username, password); len(page.Faults) > 0 {
		return p.askWho(v, http.StatusBadRequest, page)
	}
	token, holder, err := p.Desk.SignIn(v.ctx(), signin.Try{
		Account:  signin.Account{Tenant: v.practice.Tenant, Username: page.Username},
		Password: password,
		Source:   signin.Source(v.r, p.TrustedProxies),
	})
	p.noteSignIn(v, holder, err)
	if refusal, ok := errors.AsType[*fault.Error](err); ok && errors.Is(refusal, signin.ErrRefused) {
		return p.turnAway(v, page, refusal)
	}
	if err != nil {
		return err
	}
	if v.signedIn {
		if err := p.Desk.Sessions.End(v.ctx(), v.practice.Tenant, v.session.Token); err != nil {
			return err
		}
	}
	http.SetCookie(v.w, p.cookie(v, token))
	return p.onward(v)
}

func missing(username, password string) (faults []fieldFault) {
	if username == "" {
		faults = append(faults, fieldFault{"username", "Enter your username"})
	}
	if password == "" {
		faults = append(faults, fieldFault{"password", "Enter your password"})
	}
	return faults
}

// turnAway says the same whatever the reason, and how long to wait (D27).
func (p *Pages) turnAway(v *visit, page signInPage, refusal *fault.Error) error {
	status, text := http.StatusBadRequest, refusal.Detail
	if wait := refusal.RetryAt.Sub(p.Now()); !refusal.RetryAt.IsZero() && wait > 0 {
		status, text = http.StatusTooManyRequests, text+" You have tried too often: you can try again in "+span(roundUp(wait))+"."
		v.w.Header().Set("Retry-After", seconds(wait))
	}
	page.Faults = []fieldFault{{"username", text}}
	return p.askWho(v, status, page)
}

// noteSignIn is for whoever looks for attacks. It never holds the username:
// people type passwords there.
func (p *Pages) noteSignIn(v *visit, holder signin.Holder, err error) {
	outcome := "signed-in"
	if refusal, ok := errors.AsType[*fault.Error](err); ok && errors.Is(refusal, signin.ErrRefused) {
		outcome = "refused"
		if !refusal.RetryAt.IsZero() {
			outcome = "locked"
		}
	} else if err != nil {
		return // apologise says so
	}
	p.Metrics.signedIn(outcome)
	p.Log.InfoContext(v.ctx(), "sign-in", slog.String("request_id", v.id), slog.String("tenant", v.practice.Tenant),
		slog.String("outcome", outcome), slog.String("staff", holder.Staff.String()),
		slog.String("source", signin.Source(v.r, p.TrustedProxies)))
}
