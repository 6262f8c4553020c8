package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/httpapi"
	"frontdesk/projections/applications"
)

// itself returns the queries of applications about themselves.
func (a *App) itself() httpapi.Itself {
	return httpapi.Itself{
		At:     applications.States{DB: a.calls}.Find,
		KeySet: func(url string) httpapi.KeySet { return keySetOf(url, a.keys.Report(url)) },
		Reread: a.reread,
	}
}

// reread reports whether the key set could be read. A failure to read it is no error: the
// report explains it.
func (a *App) reread(ctx context.Context, url string) (read bool, err error) {
	err = a.keys.Reread(ctx, url)
	if _, refused := errors.AsType[*bearer.Refusal](err); refused {
		return false, nil
	}
	return err == nil, err
}

func keySetOf(url string, report bearer.Report) httpapi.KeySet {
	set := httpapi.KeySet{URL: url, Keys: []httpapi.HeldKey{}, FetchedAt: instant(report.FetchedAt), Until: instant(report.Until)}
	for _, key := range report.Keys {
		set.Keys = append(set.Keys, httpapi.HeldKey{Kid: key.Kid, Since: httpapi.Instant(key.Since)})
	}
	if last := report.LastFetch; !last.At.IsZero() {
		set.LastFetch = &httpapi.KeySetFetch{
			At: httpapi.Instant(last.At), Outcome: string(last.Outcome), Description: last.Description, Keys: []httpapi.FoundKey{},
		}
		for _, key := range last.Keys {
			set.LastFetch.Keys = append(set.LastFetch.Keys, foundKey(key))
		}
	}
	return set
}

func foundKey(key bearer.KeyVerdict) httpapi.FoundKey {
	if key.Usable {
		return httpapi.FoundKey{Kid: key.Kid, Usable: true}
	}
	return httpapi.FoundKey{Kid: key.Kid, Why: &key.Why}
}

// instant returns a time as the API shows it; nil if it is zero.
func instant(at time.Time) *httpapi.Instant {
	if at.IsZero() {
		return nil
	}
	return new(httpapi.Instant(at))
}

// warnOfPrivateKeys warns the operator, who can reach the application's owner, that its key
// set publishes private keys. They verify no tokens here, but may be used elsewhere.
func (a *App) warnOfPrivateKeys(url string, report bearer.FetchReport) {
	a.config.Log.ErrorContext(context.Background(), "an application publishes private keys: have its owner rotate them now, and publish only their public halves",
		slog.String("jwks_url", url), slog.Any("kids", report.Private()))
}
