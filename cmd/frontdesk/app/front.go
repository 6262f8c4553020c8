package app

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/bearer"
	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/httpx"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/adapters/signing"
	"frontdesk/adapters/staffweb"
	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/patients"
	"frontdesk/adapters/staffweb/requests"
	"frontdesk/adapters/staffweb/signin"
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/display"
	"frontdesk/domain/parse"
	"frontdesk/domain/site"
	"frontdesk/projections"
	"frontdesk/projections/applications"
	"frontdesk/projections/history"
)

// front returns the handler of the public listener: the staff pages on their own host, and
// the API on all others (D36); on a sandbox also the reference (D98). A client that does not
// read its answer loses its connection.
func (a *App) front(ctx context.Context) (http.Handler, error) {
	pages, err := a.staffPages(ctx)
	if err != nil {
		return nil, err
	}
	staff, api := pages.Handler(), a.api().Handler()
	return httpx.WriteDeadline(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case a.config.Docs != nil && strings.HasPrefix(r.URL.Path+"/", "/docs/"):
			a.config.Docs.ServeHTTP(w, r)
		case pages.Serves(r):
			staff.ServeHTTP(w, r)
		default:
			api.ServeHTTP(w, r)
		}
	})), nil
}

// api returns the Transactional API over this app's desk.
func (a *App) api() *httpapi.API {
	rights, unproven := projections.Rights{DB: a.calls}, bearer.NewUnproven(a.config.Now, httpapi.RequestID)
	return &httpapi.API{
		Domain:        a.config.APIDomain,
		DefaultTenant: a.config.DefaultTenant,

		TrustedProxies:  a.config.TrustedProxies,
		StrictTransport: a.strictTransport(),
		Strict:          a.config.Strict,
		Calls:           budget(callBurst.Seconds()*a.config.RateLimit, callBurst, a.config.RealNow),
		Bytes:           budget(float64(a.config.DailyBytes), 24*time.Hour, a.config.RealNow),

		Recognise:      (&bearer.Authenticator{Rights: rights, Keys: a.keys, Now: a.config.Now, RealNow: a.config.RealNow, Unproven: unproven}).Recognise,
		Rights:         rights.Rights,
		RecordOpenTo:   projections.Patients{DB: a.calls}.RecordOpenTo,
		Obstacle:       a.config.Obstacle,
		Desk:           a.Desk,
		Uploads:        a.Uploads,
		RequestTypes:   projections.Availability{DB: a.calls}.RequestTypes,
		CareRecord:     projections.CareRecords{DB: a.calls, Opens: a.keyring}.Find,
		RequestOutcome: history.Outcomes{DB: a.calls, Opens: a.keyring}.Find,
		Itself:         a.itself(),
		WaitingRoom:    httpapi.WaitingRoom{CalledIn: a.calledIn, Sites: projections.Sites{DB: a.calls}.List},
		SigningKeys:    (&signing.KeySet{Keys: a.SigningKeys()}).Document,
		Own: httpapi.Own{
			Calls: applications.Calls{DB: a.calls}.List, Call: applications.Calls{DB: a.calls}.Call, WithKey: applications.Calls{DB: a.calls}.WithKey, Unproven: unproven.Of,
			Deliveries: applications.Deliveries{DB: a.calls}.List, Outcomes: webhooks.Outcomes(), Why: whyUndelivered, Cursors: a.cursors(),
		},
		Checkpoints: proving.Proofs{DB: a.calls},

		Record: func(c access.Call) { a.recorder.Record(c) },

		Permits:   httpapi.Permits{Slots: a.config.CallsInFlight, Turns: 2 * int(a.config.CallConnections)},
		Admission: a.admission,
		Limit:     a.config.CallLimit,
		Now:       a.config.Now,
		Metrics:   httpapi.NewMetrics(a.registry),
		Traces:    a.traces,
		Log:       a.config.Log,
		Lines:     a.config.Calls,
	}
}

// strictTransport is the Strict-Transport-Security of the API; "" if the proxy serves no TLS.
func (a *App) strictTransport() string {
	if !strings.HasPrefix(a.config.AuthURL, "https:") {
		return ""
	}
	return httpx.StrictTransport(a.config.HSTSSubdomains)
}

// mostCalledIn limits the answer about who is called in. No practice calls in as many at once.
const mostCalledIn = 200

// calledIn returns who is called in at a practice since its midnight.
func (a *App) calledIn(ctx context.Context, tenant string, at site.ID, now time.Time) ([]projections.CallIn, error) {
	practice, err := projections.Practices{DB: a.calls}.Find(ctx, tenant)
	if err != nil {
		return nil, err
	}
	if at != (site.ID{}) { // a screen with the wrong site would stay empty
		sites, err := projections.Sites{DB: a.calls}.List(ctx, tenant)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(sites, func(s projections.Site) bool { return s.Site == at }) {
			return nil, site.ErrUnknown
		}
	}
	today, _, _ := parse.Day(now.In(practice.Zone).Format(time.DateOnly), practice.Zone)
	all := projections.CallIns{DB: a.calls, Names: projections.Names{DB: a.calls, Opens: a.keyring}}
	return all.Current(ctx, tenant, at, display.FullName, today, mostCalledIn)
}

// cursors encrypts the positions where pages end.
func (a *App) cursors() httpapi.Cursors {
	return httpapi.Cursors{Keys: a.derive("frontdesk cursors of pages")}
}

// derive returns keys for a purpose from the master keys at each time.
func (a *App) derive(purpose string) func() [][32]byte {
	return func() [][32]byte { return a.config.MasterKeys.Derive(purpose) }
}

// whyUndelivered explains to the recipient why a webhook did not arrive, in a sentence.
func whyUndelivered(reason string) string { return webhooks.Reason(reason).Sentence() }

// callBurst is the time whose calls an application may make at once. A program that
// catches up after a pause is not refused.
const callBurst = 10 * time.Second

// budget limits each application to an amount in each period. [NoLimit] disables the limit.
func budget(amount float64, period time.Duration, now func() time.Time) *admission.RateLimiter[application.ID] {
	if amount < 0 {
		return nil
	}
	return admission.NewRateLimiter[application.ID](amount, period, now)
}

// The limits of the staff pages, which have far fewer users than the API has calls.
const (
	pagesInFlight = 64
	pageLimit     = 20 * time.Second
)

// staffPages returns the staff pages over this app's desk.
func (a *App) staffPages(ctx context.Context) (*staffweb.Pages, error) {
	c := a.config
	pages := &staffweb.Pages{
		Site: &pagekit.Site{
			TrustedProxies: c.TrustedProxies,
			Practices:      projections.Practices{DB: a.calls},
			Names:          projections.Names{DB: a.calls, Opens: a.keyring},
			Auth: signin.Service{
				Guesses:   signin.NewGuesses(c.RealNow),
				Queue:     a.passwords.Queue,
				Tries:     signin.Tries{DB: a.calls, Lockout: c.Lockout, Now: c.RealNow},
				Devices:   signin.Devices{DB: a.calls, Now: c.RealNow, LogNow: c.Now},
				Passwords: a.passwords,
				Passkeys:  signin.Passkeys{DB: a.calls, Challenges: signin.Challenges{Keys: a.derive("frontdesk challenges for passkeys of staff"), Now: c.RealNow}, Now: c.RealNow, Log: c.Log},
				Steps:     signin.Steps{DB: a.calls, Now: c.RealNow},
				Sessions:  signin.Sessions{DB: a.calls, Idle: c.SessionIdle, Limit: c.SessionLimit, Now: c.RealNow},
				Screens:   signin.Screens{DB: a.calls, Now: c.RealNow},
				Journal:   a.journal,
			},
			Typed:    pagekit.Typed{Keys: a.derive("frontdesk typed texts of staff"), Now: c.RealNow},
			Desk:     a.Desk,
			Record:   a.recorder.Record,
			Head:     a.live.Since,
			InFlight: pagesInFlight,
			Limit:    pageLimit,
			Now:      c.Now,
			RealNow:  c.RealNow,
			Metrics:  pagekit.NewMetrics(a.registry),
			Seating:  a.admission,
			Log:      c.Log,
		},
		Live: a.live,
		DB:   a.calls, Opens: a.keyring,
		PatientIndex:   a.patientIndex,
		Searches:       patients.Searches{DB: a.calls, Now: c.RealNow},
		Filters:        requests.SavedFilters{DB: a.calls},
		WhyUndelivered: whyUndelivered,
		Privacy:        a.privacyService(),
		Files:          a.Uploads,
		Answers:        accesslog.Record{DB: a.calls},
	}
	if c.AuthURL == "" {
		return pages, nil
	}
	var err error
	if pages.URL, err = staffweb.ParseURL(c.AuthURL); err != nil {
		return nil, err
	}
	pages.HSTSSubdomains = c.HSTSSubdomains
	c.staffPages().warn(ctx, c.Log)
	return pages, nil
}
