package tracing

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
)

// DefaultShare is the share of the calls that are traced.
const DefaultShare = 0.1

// Config says where traces go. The zero value is nowhere.
type Config struct {
	URL     string           // of the collector, such as http://collector:4318; "" for none
	Share   float64          // of the calls that are traced: more than 0, and 1 at most
	Version string           // of the program
	Now     func() time.Time // the clock of events
}

// Check refuses what nobody can mean.
func (c Config) Check() error {
	if c.URL == "" {
		return nil
	}
	if c.Share <= 0 || c.Share > 1 || math.IsNaN(c.Share) {
		return fmt.Errorf("--traces-share is more than 0, and 1 at most: give 0.1 for every tenth call, and not %v", c.Share)
	}
	_, err := c.endpoint()
	return err
}

// tracesPath is where a collector takes traces, unless its URL says otherwise.
const tracesPath = "/v1/traces"

// endpoint returns the address that spans are sent to.
func (c Config) endpoint() (string, error) {
	at, err := url.Parse(c.URL)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || at.RawQuery != "" || at.Fragment != "":
		return "", errors.New("--traces is the address of a collector that takes OTLP over HTTP, such as http://collector:4318")
	case at.User != nil:
		return "", errors.New("--traces is shown and logged, so it may hold no password: give a header in OTEL_EXPORTER_OTLP_HEADERS")
	case strings.Trim(at.Path, "/") == "":
		at.Path = tracesPath
	}
	return at.String(), nil
}

// Reach asks the collector whether it takes spans, by sending none.
func (c Config) Reach(ctx context.Context) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	if err := client.Start(ctx); err != nil {
		return fmt.Errorf("prepare to send traces: %w", err)
	}
	defer func() { _ = client.Stop(ctx) }()
	return client.UploadTraces(ctx, nil)
}

// client returns what sends spans. It reads the variables of OTLP for what no flag says:
// headers, and whom it trusts. To compress spans would take as long as to make them.
func (c Config) client() (otlptrace.Client, error) {
	at, err := c.endpoint()
	if err != nil {
		return nil, err
	}
	return otlptracehttp.NewClient(otlptracehttp.WithEndpointURL(at), otlptracehttp.WithCompression(otlptracehttp.NoCompression),
		otlptracehttp.WithTimeout(exportLimit), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{})), nil
}
