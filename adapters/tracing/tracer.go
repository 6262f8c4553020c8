package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Tracer begins the spans of a process. A nil Tracer begins none.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	from     uint64 // the lowest sampled draw
	giveUp   context.CancelFunc
	now      func() time.Time
}

// The limits of the queue. Spans that do not fit are lost, and no call waits.
const (
	queued      = 2048             // spans
	batch       = 512              // of them at once
	company     = time.Second      // to collect more spans
	exportLimit = 10 * time.Second // for one batch
	closeLimit  = 3 * time.Second  // for the rest when the process ends
	textLimit   = 250              // characters of a statement: enough to identify it
)

// scope is the instrumentation scope.
const scope = "frontdesk"

// Start returns the tracer of a process; nil if tracing is off. It does not contact the
// collector.
func Start(c Config, log *slog.Logger) (*Tracer, error) {
	if err := c.Check(); c.URL == "" || err != nil {
		return nil, err
	}
	client, err := c.client()
	if err != nil {
		return nil, err
	}
	ctx, giveUp := context.WithCancel(context.Background())
	is, err := c.resource(ctx)
	if err != nil {
		giveUp()
		return nil, fmt.Errorf("name the process for its traces: %w", err)
	}
	provider := sdk.NewTracerProvider(
		sdk.WithResource(is), sdk.WithIDGenerator(ids{}), sdk.WithSampler(sdk.AlwaysSample()),
		sdk.WithRawSpanLimits(sdk.SpanLimits{AttributeValueLengthLimit: textLimit, AttributeCountLimit: 32, LinkCountLimit: 1}), // and no events
		sdk.WithBatcher(&exporter{SpanExporter: otlptrace.NewUnstarted(client), active: ctx, log: log},
			sdk.WithMaxQueueSize(queued), sdk.WithMaxExportBatchSize(batch), sdk.WithBatchTimeout(company), sdk.WithExportTimeout(exportLimit)))
	return &Tracer{provider, provider.Tracer(scope), lowestDraw(c.Share), giveUp, c.Now}, nil
}

// resource describes the process. An operator can add to it with
// OTEL_RESOURCE_ATTRIBUTES.
func (c Config) resource(ctx context.Context) (*resource.Resource, error) {
	host, _ := os.Hostname()
	return resource.New(ctx, resource.WithFromEnv(), resource.WithAttributes(
		attribute.String("service.name", scope), attribute.String("service.version", c.Version),
		attribute.String("service.instance.id", host+"/"+strconv.Itoa(os.Getpid()))))
}

// Close sends the rest, for [closeLimit] at most. Spans that end later are lost.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	defer t.giveUp()
	defer time.AfterFunc(closeLimit, t.giveUp).Stop()
	_ = t.provider.Shutdown(context.Background()) // the exporter logs failures, and stops in time
}

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
