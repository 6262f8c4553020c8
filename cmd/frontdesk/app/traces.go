package app

import (
	"context"
	"log/slog"

	"frontdesk/adapters/tracing"
)

// trace starts the traces of this process; nil if they go nowhere.
func (c *Config) trace() (*tracing.Tracer, error) {
	is, err := ThisVersion()
	if err != nil {
		return nil, err
	}
	c.Traces.Version, c.Traces.Now = is.Version, c.Now
	traces, err := tracing.Start(c.Traces, c.Log)
	if err != nil {
		return nil, err
	}
	c.Tracer = traces.Statements(c.Tracer)
	return traces, nil
}

// collector warns if the collector does not answer: only traces are lost then.
func (c *Config) collector(ctx context.Context) Finding {
	if err := c.Traces.Reach(ctx); err != nil {
		return Finding{What: "traces", Warns: true, Says: "the collector takes none", About: []slog.Attr{slog.Any("error", err)}}
	}
	return found("traces", "the collector takes them", nil)
}
