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

// DefaultShare is the default share of sampled calls.
const DefaultShare = 0.1

// Config is where traces go. The zero value turns tracing off.
type Config struct {
	URL     string           // of the collector, such as http://collector:4318; "" for none
	Share   float64          // of sampled calls: more than 0, and at most 1
	Version string           // of the program
	Now     func() time.Time // the clock of events
}

// Check refuses invalid values.
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

// tracesPath is the default path of a collector.
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

// Reach checks whether the collector accepts spans, by sending none.
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

// client returns the client that sends spans. It reads the OTLP environment variables
// for settings without a flag: headers, and trusted certificates. Compressing spans
// would take as long as making them.
func (c Config) client() (otlptrace.Client, error) {
	at, err := c.endpoint()
	if err != nil {
		return nil, err
	}
	return otlptracehttp.NewClient(otlptracehttp.WithEndpointURL(at), otlptracehttp.WithCompression(otlptracehttp.NoCompression),
		otlptracehttp.WithTimeout(exportLimit), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{})), nil
}
