package service

import "frontdesk/adapters/tracing"

// tracesFlags say where traces go.
type tracesFlags struct {
	Traces      string  `placeholder:"URL" help:"Collector that is sent traces by OTLP over HTTP, such as http://collector:4318; none if it is not given."`
	TracesShare float64 `default:"${traces_share}" placeholder:"SHARE" help:"Share of the calls that are traced: more than 0, and 1 at most."`
}

func (f tracesFlags) traces() tracing.Config {
	return tracing.Config{URL: f.Traces, Share: f.TracesShare}
}

// Validate refuses what nobody can mean, before anything is opened.
func (f tracesFlags) Validate() error { return f.traces().Check() }
