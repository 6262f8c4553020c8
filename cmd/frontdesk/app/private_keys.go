package app

import (
	"context"
	"log/slog"

	"frontdesk/adapters/bearer"
)

// warnOfPrivateKeys warns the operator, who can reach the application's owner, that its key
// set publishes private keys. They verify no tokens here, but may be used elsewhere.
func (a *App) warnOfPrivateKeys(url string, report bearer.FetchReport) {
	a.config.Log.ErrorContext(context.Background(), "an application publishes private keys: have its owner rotate them now, and publish only their public halves",
		slog.String("jwks_url", url), slog.Any("kids", report.Private()))
}
