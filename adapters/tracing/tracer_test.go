package tracing_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/tracing"
	"frontdesk/adapters/tracing/tracingtest"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

func begun(t *testing.T, c tracing.Config) *tracing.Tracer {
	t.Helper()
	c.Now = commandtest.NewClock(commandtest.Noon).Now
	traces, err := tracing.Start(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(traces.Close)
	return traces
}

// nowhere is an unreachable collector.
const nowhere = "http://127.0.0.1:1"

func call(traces *tracing.Tracer, id string) bool {
	_, span := traces.Call(httptest.NewRequest(http.MethodPost, "/", http.NoBody), id, "ping")
	defer span.End(false)
	return span.Recording()
}

// follows reports whether the handler of a call's event continues its trace.
func follows(traces *tracing.Tracer, id string, at time.Time) bool {
	_, spans := traces.Handling(context.Background(), "consumer", []event.Recorded{{
		Event: practice.Registered{}, ID: event.NewID(), At: at, Metadata: event.Metadata{RequestID: id},
	}})
	defer spans.End(false)
	return len(spans) == 1
}

// Sampling uses the random part of a call's id, or the share would be wrong.
func TestTheShareOfTracesHolds_D109(t *testing.T) {
	t.Parallel()
	const calls = 10_000
	traces, kept := begun(t, tracing.Config{URL: nowhere, Share: 0.1}), 0
	for range calls {
		if call(traces, event.NewID().String()) {
			kept++
		}
	}
	if kept < calls*8/100 || kept > calls*12/100 { // six standard deviations
		t.Errorf("of %d calls, %d are traced", calls, kept)
	}
}

// An event does not record whether its call is sampled: every process computes the
// same.
func TestEveryProcessKeepsTheSameTraces_D109(t *testing.T) {
	t.Parallel()
	tenth, other, all := begun(t, tracing.Config{URL: nowhere, Share: 0.1}), begun(t, tracing.Config{URL: nowhere, Share: 0.1}), begun(t, tracing.Config{URL: nowhere, Share: 1})
	for range 1000 {
		id := event.NewID().String()
		if kept := call(tenth, id); kept != follows(other, id, commandtest.Noon) || !follows(all, id, commandtest.Noon) {
			t.Fatalf("the call %s is traced (%v), and its event otherwise", id, kept)
		}
	}
	if follows(all, event.NewID().String(), commandtest.Noon.Add(-2*time.Hour)) {
		t.Error("an event of long ago is followed")
	}
}

// OpenTelemetry's own variables do not turn tracing on.
func TestOnlyTheFlagSwitchesTracesOn_D109(t *testing.T) {
	collector := tracingtest.New(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_TRACES_SAMPLER", "always_on")
	traces := begun(t, tracing.Config{Share: 1})
	if call(traces, event.NewID().String()) || traces.Statements(nil) != nil {
		t.Error("calls are traced")
	}
	traces.Close()
	if spans := collector.Spans(); len(spans) > 0 {
		t.Errorf("the collector is sent %v", spans)
	}
}

func TestInvalidTracingConfigIsRefused_D109(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config tracing.Config
		says   string
	}{
		{tracing.Config{}, ""},
		{tracing.Config{URL: "http://collector:4318", Share: 0.1}, ""},
		{tracing.Config{URL: "https://collector/otlp/v1/traces", Share: 1}, ""},
		{tracing.Config{URL: "collector:4318", Share: 1}, "--traces is the address"},
		{tracing.Config{URL: "grpc://collector:4317", Share: 1}, "--traces is the address"},
		{tracing.Config{URL: "http://me:sesame@collector:4318", Share: 1}, "no password"},
		{tracing.Config{URL: "http://collector:4318"}, "--traces-share"},
		{tracing.Config{URL: "http://collector:4318", Share: 1.1}, "--traces-share"},
	} {
		err := c.config.Check()
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) || strings.Contains(fmt.Sprint(err), "sesame") {
			t.Errorf("%+v: %v", c.config, err)
		}
	}
}

// A hanging collector costs calls nothing: spans that do not fit into the queue are
// lost, and the end of the process does not wait for it.
func TestHangingCollectorBlocksNoCaller_D109(t *testing.T) {
	t.Parallel()
	hanging, asked := make(chan struct{}), make(chan struct{}, 100)
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked <- struct{}{}; <-hanging }))
	defer collector.Close()
	defer close(hanging)
	var said bytes.Buffer
	traces, err := tracing.Start(tracing.Config{URL: collector.URL, Share: 1}, slog.New(slog.NewTextHandler(&said, nil)))
	if err != nil {
		t.Fatal(err)
	}
	for range 10_000 {
		call(traces, event.NewID().String())
	}
	<-asked
	traces.Close()
	if n := strings.Count(said.String(), "does not accept traces"); n != 1 {
		t.Errorf("it is said %d times: %s", n, &said)
	}
	if len(asked) > 0 {
		t.Errorf("it is asked %d times more, although it hangs", len(asked))
	}
}

// A failure is logged once, and so is its end, however often it was retried.
func TestDeadCollectorIsLoggedOnce_D109(t *testing.T) {
	t.Parallel()
	answers, answered := []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusOK, http.StatusOK}, make(chan struct{})
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(answers[0])
		answers = answers[1:]
		answered <- struct{}{}
	}))
	defer collector.Close()
	var said bytes.Buffer
	traces, err := tracing.Start(tracing.Config{URL: collector.URL, Share: 1}, slog.New(slog.NewTextHandler(&said, nil)))
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		call(traces, event.NewID().String())
		<-answered
	}
	traces.Close()
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "level=WARN") || !strings.Contains(lines[1], "spans_lost=2") {
		t.Errorf("it says %q", lines)
	}
}

// A caller may send a trace context of its own. It becomes a link, without its free
// text.
func TestCallerTraceBecomesLink_D109(t *testing.T) {
	t.Parallel()
	collector := tracingtest.New(t)
	traces := begun(t, tracing.Config{URL: collector.URL, Share: 1})
	for _, traceparent := range []string{"", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-Ann-Archer-01"} {
		r := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
		r.Header.Set("Traceparent", traceparent)
		r.Header.Set("Tracestate", "vendor=words")
		_, span := traces.Call(r, event.NewID().String(), "ping")
		span.End(false)
	}
	traces.Close()
	var links []string
	for _, s := range collector.Spans() {
		links = append(links, s.Links...)
	}
	if !slices.Equal(links, []string{"4bf92f3577b34da6a3ce929d0e0e4736"}) {
		t.Errorf("the links are %q", links)
	}
}
