package service

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/tracing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
)

// runningFlags set how a service runs, and not its functions.
type runningFlags struct {
	configFlag            `embed:""`
	term.LogFlags         `embed:""`
	Check                 bool   `env:"-" help:"Print the configuration with its sources, check everything that serving needs, and exit without changes."`
	CheckURL              string `name:"check-url" env:"-" placeholder:"URL" help:"With --check: also check a running service, from outside, at the API of a practice, such as https://elm-street.api.example.org."`
	LogCalls              string `enum:"all,refused,none" default:"${log_calls}" help:"Which calls are logged: all, refused or none."`
	Pprof                 bool   `help:"Serve Go's profiles at /debug/pprof/ of the private listener."`
	CallConnections       int32  `default:"${call_connections}" placeholder:"N" help:"Connections to the database for calls."`
	BackgroundConnections int32  `default:"${background_connections}" placeholder:"N" help:"Connections to the database for all other work."`
	UploadConnections     int32  `default:"${upload_connections}" placeholder:"N" help:"Connections to the database for uploads."`
	tracesFlags           `embed:""`
}

func (f runningFlags) applyRunning(r *term.Run, c *app.Config) {
	c.Log, c.Calls, c.Profiles = f.Log(r.Err), httpapi.Lines(f.LogCalls), f.Pprof
	c.Traces = f.traces()
	c.CallConnections, c.BackgroundConnections, c.UploadConnections = f.CallConnections, f.BackgroundConnections, f.UploadConnections
}

// announce logs the line about the start of the service.
func (f runningFlags) announce(r *term.Run, log *slog.Logger, service *app.App) error {
	facts, err := service.Facts(r.Context)
	if err != nil {
		return err
	}
	is, err := app.ThisVersion()
	if err != nil {
		return err
	}
	facts = append(facts, slog.String("version", is.Version), slog.String("commit", is.Commit), slog.String("config", string(f.Config)))
	log.LogAttrs(r.Context, slog.LevelInfo, "serving", facts...)
	return nil
}

// check prints the configuration and the findings. unreadable is why there is no master key.
func (f runningFlags) check(r *term.Run, parsed *kong.Context, files SettingsFiles, config app.Config, unreadable error) error {
	if err := files.Print(r.Out, parsed, f.Config); err != nil {
		return err
	}
	fmt.Fprintln(r.Out)
	running, err := f.outside(r)
	if err != nil {
		return err
	}
	found := app.Check(r.Context, config, running)
	if unreadable != nil {
		found = slices.DeleteFunc(found, func(f app.Finding) bool { return f.What == "master key" })
		found = append(found, app.Finding{What: "master key", Err: unreadable})
	}
	table, failed := tabwriter.NewWriter(r.Out, 0, 8, 2, ' ', 0), 0
	for _, f := range found {
		if f.Err != nil {
			failed++
		}
		if err := printFinding(table, f); err != nil {
			return err
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed: fix the lines that begin with FAILED", failed, len(found))
	}
	return nil
}

// outside returns where a running service is checked; nil if it is not.
func (f runningFlags) outside(r *term.Run) (*app.Outside, error) {
	if f.CheckURL == "" {
		return nil, nil
	}
	at, err := app.ParseOutside(f.CheckURL)
	if err != nil {
		return nil, fmt.Errorf("--check-url: %w", err)
	}
	return &app.Outside{URL: at, Lookup: net.DefaultResolver.LookupHost, Dial: new(net.Dialer).DialContext, Now: r.Now}, nil
}

// Validate refuses a flag that would do nothing.
func (f runningFlags) Validate() error {
	if f.CheckURL != "" && !f.Check {
		return errors.New("--check-url needs --check")
	}
	return f.tracesFlags.Validate()
}

func printFinding(table *tabwriter.Writer, f app.Finding) error {
	switch {
	case f.Err != nil:
		return term.Row(table, "FAILED", f.What, term.OneLine(f.Err))
	case !f.Warns:
		return term.Row(table, "ok", f.What, f.Says)
	}
	var about []string
	for _, attr := range f.About {
		about = append(about, attr.String())
	}
	return term.Row(table, "fix", f.What, strings.TrimSuffix(f.Says+" ("+strings.Join(about, ", ")+")", " ()"))
}

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
