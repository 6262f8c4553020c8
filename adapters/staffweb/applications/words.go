package applications

import (
	"slices"
	"strings"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/projections/applications"
)

// stakes are the effects of disabling, in words.
type stakes struct {
	Given string // "" without authorisations
	Told  string // webhooks
}

func impactWords(found applications.DisableImpact) (words stakes) {
	if found.Authorisations > 0 {
		words.Given = countWords(found.Authorisations, "authorisation")
	}
	switch words.Told = "it stops receiving notifications"; found.Deliveries {
	case 0:
	case 1:
		words.Told += ", and 1 webhook that waits to be sent to it is given up for good"
	default:
		words.Told += ", and " + countWords(found.Deliveries, "webhook") + " that wait to be sent to it are given up for good"
	}
	return words
}

// givenRow is a member of staff who has authorised the application.
type givenRow struct {
	Name, Until string
	Scoped      bool // for one patient only
}

// hourRow is the counts of one hour.
type hourRow struct {
	applications.Hour
	Words string
}

// rightRow is one permission, and the callers that have it.
type rightRow struct {
	Words           string
	Itself, ForUser bool
}

// rightRows are its permissions, in the order of the catalogue.
func rightRows(entry applications.Entry) (rows []rightRow) {
	itself, forUser := entry.Endpoints(application.ApplicationRestricted), entry.Endpoints(application.UserRestricted)
	left := slices.Concat(itself, forUser)
	var names []application.EndpointName
	for _, e := range access.Endpoints() {
		names = append(names, e.Name)
	}
	for _, name := range append(names, left...) { // names that have left the catalogue come last
		if slices.Contains(left, name) {
			rows = append(rows, rightRow{pagekit.EndpointWords(name), slices.Contains(itself, name), slices.Contains(forUser, name)})
			left = slices.DeleteFunc(left, func(other application.EndpointName) bool { return other == name })
		}
	}
	return rows
}

// health is the state of an application's calls and webhooks in the last day, in words.
type health struct {
	Word, Colour string
	Why          string
	LastFailure  string // of the last 7 days; "" without one
}

// healthOf judges the last day. Anything that was refused, failed or did not arrive needs a look.
func healthOf(found applications.Health) health {
	var day applications.Hour
	for _, h := range found.Hours {
		day.Answered, day.Refused, day.Failed = day.Answered+h.Answered, day.Refused+h.Refused, day.Failed+h.Failed
		day.Delivered, day.Undelivered = day.Delivered+h.Delivered, day.Undelivered+h.Undelivered
	}
	fine, wrong := countsOf(applications.Hour{Answered: day.Answered, Delivered: day.Delivered}), countsOf(applications.Hour{Refused: day.Refused, Failed: day.Failed, Undelivered: day.Undelivered})
	switch {
	case wrong != "" && fine != "":
		return health{Word: "Check", Colour: "yellow", Why: "In the last day: " + wrong + ". Also " + fine + "."}
	case wrong != "":
		return health{Word: "Check", Colour: "yellow", Why: "In the last day: " + wrong + ", and nothing that worked."}
	case fine != "":
		return health{Word: "Working", Colour: "green", Why: "In the last day: " + fine + ". Nothing was refused or failed."}
	}
	return health{Word: "No activity", Colour: "white", Why: "No calls and no webhooks in the last day."}
}

// lastFailure describes the newest call or webhook that failed.
func lastFailure(found applications.Health, refusals []callRow, undelivered []deliveryRow) string {
	switch {
	case len(undelivered) > 0 && (len(refusals) == 0 || found.Undelivered[0].At.After(found.Refusals[0].At)):
		return "A webhook of " + undelivered[0].At + " did not arrive. " + undelivered[0].Why
	case len(refusals) > 0 && refusals[0].Ours:
		return "A call at " + refusals[0].At + ", to " + refusals[0].What + ", could not be served. This is our fault, not the application’s."
	case len(refusals) > 0:
		return "A call at " + refusals[0].At + ", to " + refusals[0].What + ", was refused: " + refusals[0].Told
	}
	return ""
}

// callRow is one call.
type callRow struct {
	At, What, For string
	Told          string // why it was refused; "" if it was not
	Ours          bool   // the service failed
}

// deliveryRow is one webhook that did not arrive.
type deliveryRow struct{ At, Of, Why string }

func webhookWord(event application.WebhookEvent) string {
	if kind, ok := application.FindWebhook(event); ok {
		return kind.Happens
	}
	return "“" + string(event) + "” happens"
}

func webhookWords(events []application.WebhookEvent) (words []string) {
	for _, event := range events {
		words = append(words, webhookWord(event))
	}
	return words
}

// countWords formats a number that is counted up to applications.MaxImpact.
func countWords(n int, name string) string {
	if n >= applications.MaxImpact {
		return pagekit.Counted(n, name) + " or more"
	}
	return pagekit.Counted(n, name)
}

// hourWords formats an hour in the practice's time zone.
func hourWords(at time.Time, zone *time.Location) string {
	return at.In(zone).Format("3pm") + " to " + at.Add(time.Hour).In(zone).Format("3pm") + at.In(zone).Format(" on Monday")
}

// countsOf describes an hour's counts without the zeros.
func countsOf(h applications.Hour) string {
	var parts []string
	for _, part := range []struct {
		n          int
		name, what string
	}{
		{h.Answered, "call", "answered"}, {h.Refused, "call", "refused"}, {h.Failed, "call", "that we could not serve"},
		{h.Delivered, "webhook", "delivered"}, {h.Undelivered, "webhook", "not delivered"},
	} {
		if part.n > 0 {
			parts = append(parts, pagekit.Counted(part.n, part.name)+" "+part.what)
		}
	}
	return strings.Join(parts, ", ")
}

// callRows are calls in words.
func (s *Section) callRows(r *pagekit.Request, calls []applications.RecentCall) (rows []callRow) {
	for _, c := range calls {
		row := callRow{At: pagekit.Clock(c.At, r.Practice.Zone), What: pagekit.EndpointWords(c.Endpoint), For: "for itself", Told: pagekit.InstantsInWords(c.Reason, r.Practice.Zone)}
		switch {
		case c.ActedFor != "":
			row.For = "for " + c.ActedFor
		case c.Mode == application.UserRestricted:
			row.For = "for an unknown user"
		}
		if c.Status >= 500 {
			row.Told, row.Ours = "", true
		}
		rows = append(rows, row)
	}
	return rows
}

// endingTexts explain why a webhook was not sent, if no reason is stored.
var endingTexts = map[string]string{
	"expired":   "It had grown too old, and was not sent.",
	"withdrawn": "Cancelled before it was sent.",
	"unknown":   "Delivery could not be confirmed. It will not be resent.",
}

func (s *Section) failureText(d applications.FailedDelivery) string {
	if words := s.ExplainFailure(d.Reason); words != "" {
		return words
	}
	if words, ok := endingTexts[d.Status]; ok {
		return words
	}
	return "It did not arrive."
}
