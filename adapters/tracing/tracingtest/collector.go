package tracingtest

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector receives spans. It is safe for concurrent use.
type Collector struct {
	URL string // for the program's configuration

	tb    testing.TB
	mu    sync.Mutex
	text  bytes.Buffer
	spans []Span
}

// Span is a span as it arrived. Ids are hexadecimal.
type Span struct {
	Trace, ID, Parent string
	Name              string
	Kind              tracepb.Span_SpanKind
	About             map[string]string // its attributes
	By                map[string]string // the attributes of the process
	Links             []string          // the linked traces, with their state
	Events            int
	Status            *tracepb.Status
	From, Until       uint64 // nanoseconds since 1970
}

// New starts a collector, which ends with the test.
func New(tb testing.TB) *Collector {
	tb.Helper()
	c := &Collector{tb: tb}
	server := httptest.NewServer(http.HandlerFunc(c.take))
	tb.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

func (c *Collector) take(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	var sent collectorpb.ExportTraceServiceRequest
	if r.URL.Path != "/v1/traces" || err != nil || proto.Unmarshal(text, &sent) != nil {
		c.tb.Errorf("the collector is sent what is no OTLP to %s: %v", r.URL.Path, err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text.Write(text)
	for _, process := range sent.GetResourceSpans() {
		for _, scope := range process.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				c.spans = append(c.spans, read(span, attributes(process.GetResource().GetAttributes())))
			}
		}
	}
}

func read(s *tracepb.Span, by map[string]string) Span {
	span := Span{
		Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()), Parent: hex.EncodeToString(s.GetParentSpanId()),
		Name: s.GetName(), Kind: s.GetKind(), About: attributes(s.GetAttributes()), By: by, Events: len(s.GetEvents()), Status: s.GetStatus(),
		From: s.GetStartTimeUnixNano(), Until: s.GetEndTimeUnixNano(),
	}
	for _, link := range s.GetLinks() {
		span.Links = append(span.Links, hex.EncodeToString(link.GetTraceId())+link.GetTraceState())
	}
	return span
}

func attributes(all []*commonpb.KeyValue) map[string]string {
	about := map[string]string{}
	for _, one := range all {
		about[one.GetKey()] = one.GetValue().GetStringValue()
		if about[one.GetKey()] == "" {
			about[one.GetKey()] = one.GetValue().String()
		}
	}
	return about
}

// Spans returns the spans so far.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Of returns the spans of a trace so far.
func (c *Collector) Of(trace string) []Span {
	return slices.DeleteFunc(c.Spans(), func(s Span) bool { return s.Trace != trace })
}

// Text returns every byte received.
func (c *Collector) Text() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.text.Bytes())
}
