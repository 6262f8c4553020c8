package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
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
