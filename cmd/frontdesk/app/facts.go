package app

import (
	"context"
	"log/slog"

	"frontdesk/adapters/postgres"
)

// Facts are the facts about a process that begins to serve, for one line of the log: its
// database, its addresses and its limits.
func (a *App) Facts(ctx context.Context) ([]slog.Attr, error) {
	schema, err := postgres.SchemaVersion()
	if err != nil {
		return nil, err
	}
	roles, err := postgres.RolesOf(ctx, a.background)
	if err != nil {
		return nil, err
	}
	c := a.config
	return []slog.Attr{
		slog.String("url", a.URL()), slog.String("private_url", a.PrivateURL()), slog.Bool("pprof", c.Profiles), slog.Bool("relays", a.relay != nil),
		slog.String("api_domain", c.APIDomain), slog.String("auth_url", c.AuthURL),
		slog.Int64("schema", schema), slog.String("role", roles.Serves), slog.String("owner", roles.Owner),
		slog.String("durability", string(c.Durability)),
		slog.Group("traces", slog.String("url", c.Traces.URL), slog.Float64("share", c.Traces.Share)),
		slog.Group("connections", slog.Int("calls", int(c.CallConnections)), slog.Int("background", int(c.BackgroundConnections)),
			slog.Int("uploads", int(c.UploadConnections))),
		slog.Group("limits", slog.Int("calls_in_flight", c.CallsInFlight), slog.Float64("rate", c.RateLimit), slog.Int64("daily_bytes", c.DailyBytes),
			slog.Duration("webhook_timeout", c.WebhookTimeout), slog.Duration("drain_delay", c.DrainDelay)),
	}, nil
}
