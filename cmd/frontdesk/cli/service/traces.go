package service

import "frontdesk/adapters/tracing"

// tracesFlags set the destination of traces.
type tracesFlags struct {
	Traces      string  `placeholder:"URL" help:"Collector for traces, by OTLP over HTTP, such as http://collector:4318. Without it, nothing is traced."`
	TracesShare float64 `default:"${traces_share}" placeholder:"SHARE" help:"Share of calls that are traced: more than 0, and at most 1."`
}

func (f tracesFlags) traces() tracing.Config {
	return tracing.Config{URL: f.Traces, Share: f.TracesShare}
}

// Validate refuses values that make no sense, before anything is opened.
func (f tracesFlags) Validate() error { return f.traces().Check() }
