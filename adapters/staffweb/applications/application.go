package applications

import (
	"fmt"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/projections/applications"
)

// applicationPage is the page of one application.
type applicationPage struct {
	pagekit.FormErrors
	applications.Entry
	Done    string // the last action; "" for none
	Rights  []rightRow
	Itself  bool     // it has rights of its own
	ForUser bool     // it has rights for a member of staff who authorises it
	Told    []string // its webhooks

	Given       []givenRow
	MoreGiven   bool
	Stakes      stakes
	Health      health
	Hours       []hourRow // of the last day
	Calls       []callRow
	Refusals    []callRow
	Undelivered []deliveryRow
	Seen        string
	Token       string
}

// doneTexts maps the word in the page's address to its text about the last decision.
var doneTexts = map[string]string{
	"enable":  "The application has been enabled. It can call from now on.",
	"disable": "The application has been disabled. Its calls are refused from now on.",
}

// application shows an application.
func (s *Section) application(r *pagekit.Request) error {
	entry, err := s.find(r, r.PathValue("application"))
	if err != nil {
		return err
	}
	return s.show(r, http.StatusOK, entry, pagekit.FormErrors{})
}

func (s *Section) show(r *pagekit.Request, status int, entry applications.Entry, wrong pagekit.FormErrors) error {
	page := applicationPage{
		FormErrors: wrong, Entry: entry, Done: doneTexts[r.Form.Get("done")], Rights: rightRows(entry),
		Itself: len(entry.Endpoints(application.ApplicationRestricted)) > 0, ForUser: len(entry.Endpoints(application.UserRestricted)) > 0,
		Told: webhookWords(entry.Webhooks), Seen: r.Token(seenOf(entry)), Token: r.Token(purposeOf(entry)),
	}
	if err := s.addGiven(r, &page); err != nil {
		return err
	}
	if err := s.addHealth(r, &page); err != nil {
		return err
	}
	s.Show(r, pagekit.View{Template: templates["application"], Status: status, Title: page.PageTitle(entry.Name), Content: page})
	return nil
}

// addGiven adds the members who have authorised the application, and what disabling it
// would end.
func (s *Section) addGiven(r *pagekit.Request, page *applicationPage) error {
	found, err := s.Directory.DisableImpact(r.Context(), r.Tenant, page.Application, s.Now())
	if err != nil {
		return err
	}
	page.Stakes = impactWords(found)
	given, err := s.Given.GivenTo(r.Context(), r.Tenant, page.Application, s.Now(), mostGiven+1)
	if err != nil {
		return err
	}
	page.MoreGiven = len(given) > mostGiven
	for _, g := range given[:min(len(given), mostGiven)] {
		page.Given = append(page.Given, givenRow{g.StaffName, pagekit.Clock(g.ExpiresAt, r.Practice.Zone), g.Scoped()})
	}
	return nil
}

// addHealth adds the application's recent calls and webhooks.
func (s *Section) addHealth(r *pagekit.Request, page *applicationPage) error {
	found, err := s.Monitor.Health(r.Context(), r.Tenant, page.Application, s.RealNow(), r.Practice.Zone)
	if err != nil {
		return err
	}
	for _, hour := range found.Hours {
		page.Hours = append(page.Hours, hourRow{hour, hourWords(hour.At, r.Practice.Zone)})
	}
	page.Calls, page.Refusals = s.callRows(r, found.Calls), s.callRows(r, found.Refusals)
	for _, d := range found.Undelivered {
		page.Undelivered = append(page.Undelivered, deliveryRow{pagekit.Clock(d.At, r.Practice.Zone), webhookWord(d.Event), s.failureText(d)})
	}
	page.Health = healthOf(found)
	page.Health.LastFailure = lastFailure(found, page.Refusals, page.Undelivered)
	return nil
}

// seenOf encodes everything that a decision depends on.
func seenOf(entry applications.Entry) string {
	return fmt.Sprintf("application-seen\x00%s %t %q %q", entry.Application, entry.Enabled, entry.Grants, entry.Webhooks)
}

// purposeOf is the purpose of the page's forms.
func purposeOf(entry applications.Entry) string {
	return "application\x00" + entry.Application.String()
}

// decide enables or disables the application, unless it has changed since the page was
// shown. Enabling needs recent reauthentication.
func (s *Section) decide(r *pagekit.Request) error {
	entry, err := s.find(r, r.PathValue("application"))
	if err != nil {
		return err
	}
	if !r.HasToken(purposeOf(entry)) {
		return pagekit.ErrStale
	}
	if !r.Session.Owns(r.Form.Get("seen"), seenOf(entry)) {
		return s.show(r, http.StatusConflict, entry, pagekit.FormError("decision",
			"Nothing has been changed: the application has changed since you opened the page. Look at it again."))
	}
	at := "applications/" + entry.Application.String()
	switch do := r.Form.Get("do"); {
	case do == "enable" && !s.Confirmed(r):
		return s.ConfirmFirst(r, at)
	case do == "enable":
		err = s.Desk.EnableApplication(r.StaffContext(), commands.EnableApplication{Tenant: r.Tenant, Application: entry.Application})
	case do == "disable":
		err = s.Desk.DisableApplication(r.StaffContext(), commands.DisableApplication{Tenant: r.Tenant, Application: entry.Application})
	default:
		return pagekit.ErrUnreadable
	}
	if err != nil {
		return err
	}
	return r.Redirect(r.Base() + "/" + at + "?done=" + r.Form.Get("do"))
}
