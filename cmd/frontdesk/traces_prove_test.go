//go:build prove

package main_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// A real collector of OpenTelemetry holds the trace of a call as one trace. It has the
// statements, the append, the handlers of the event, in either process, and the deliveries.
func TestProveThatATraceReachesACollector_D109(t *testing.T) { //nolint:paralleltest // it starts processes
	collector := newCollector(t)
	server := postgrestest.Cluster(t)
	s := newBusy(t, func(role string) string { return server.URL("frontdesk", role) })
	s.found()
	for range 2 {
		s.serve(s.database("frontdesk_app"), "asynchronous", "--traces", collector.url, "--traces-share=1")
	}
	request := s.trace(access.CreatePatientRequest, `{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]}`)
	opening := s.trace(access.OpenCareRecord, `{"patientId":%q}`)
	const receivers = 5
	waitFor(t, func() bool { // each process sends its spans in its own time
		all := collector.trace(opening)
		return len(named(all, "webhook")) == receivers && len(named(all, "webhooks.v1")) > 0 && len(named(all, string(access.OpenCareRecord))) == 1 &&
			len(named(collector.trace(request), string(access.CreatePatientRequest))) == 1
	})
	for _, c := range []struct {
		trace    string
		endpoint application.EndpointName
		caused   []string
	}{{request, access.CreatePatientRequest, nil}, {opening, access.OpenCareRecord, []string{"webhooks.v1", "webhook"}}} {
		all := collector.trace(c.trace)
		call := named(all, string(c.endpoint))[0]
		appended := named(all, "append")
		if call.ParentSpanID != "" || len(appended) != 1 || appended[0].ParentSpanID != call.SpanID || !storesAnEvent(all, appended[0]) {
			t.Errorf("%s: within the call there is no append that stores an event: %v", c.endpoint, all)
		}
		for _, name := range c.caused {
			for _, span := range named(all, name) {
				if span.ParentSpanID != call.SpanID {
					t.Errorf("%s: %s is within %s and not the call", c.endpoint, name, span.ParentSpanID)
				}
			}
		}
		provetest.Tried(t, len(all), "spans")
		t.Logf("%s: %d spans of %d processes", c.endpoint, len(all), processes(all))
	}
	if len(named(collector.trace(opening), "webhooks.v1")) != 1 {
		t.Errorf("the event was handed to the fan-out otherwise than once")
	}
}

// trace makes a call, and returns its id as traces have it.
func (s *busy) trace(endpoint application.EndpointName, body string) string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.served[0].url+"/transactional-api/"+string(endpoint),
		strings.NewReader(fmt.Sprintf(body, s.patients[0])))
	s.must(err)
	r.Host = surgeryTenant + ".frontdesk.test"
	r.Header.Set("Authorization", "Bearer "+s.integrator.Token(clock.System()))
	response, err := http.DefaultClient.Do(r)
	s.must(err)
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		s.t.Fatalf("%s is answered %d, %v", endpoint, response.StatusCode, err)
	}
	return strings.ReplaceAll(response.Header.Get("X-Request-Id"), "-", "")
}

func named(all []collected, name string) []collected {
	return slices.DeleteFunc(slices.Clone(all), func(s collected) bool { return s.Name != name })
}

// storesAnEvent reports whether a batch within the span stores an event.
func storesAnEvent(all []collected, within collected) bool {
	return slices.ContainsFunc(all, func(batch collected) bool {
		return batch.ParentSpanID == within.SpanID && slices.ContainsFunc(all, func(s collected) bool {
			return s.ParentSpanID == batch.SpanID && strings.Contains(s.Statement(), "INSERT INTO events")
		})
	})
}

func processes(all []collected) int {
	instances := map[string]bool{}
	for _, s := range all {
		instances[s.instance] = true
	}
	return len(instances)
}

// collected is a span as a collector holds it.
type collected struct {
	TraceID, SpanID, ParentSpanID, Name string
	Attributes                          attributes
	instance                            string
}

// Statement is the span's statement for the database.
func (c collected) Statement() string { return c.Attributes.of("db.query.text") }

type attributes []struct {
	Key   string
	Value struct{ StringValue string }
}

func (a attributes) of(key string) string {
	for _, one := range a {
		if one.Key == key {
			return one.Value.StringValue
		}
	}
	return ""
}

// collector is the collector of OpenTelemetry, as a process of its own.
type collector struct {
	url string
	mu  sync.Mutex
	all []collected
}

// collectorSettings makes a collector print the spans that it receives at an address.
const collectorSettings = `
receivers: {otlp: {protocols: {http: {endpoint: %q}}}}
exporters: {print: }
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [print]}}
`

// newCollector builds the collector from its own modules, and starts it.
func newCollector(t *testing.T) *collector {
	t.Helper()
	dir, address := t.TempDir(), freeAddress(t)
	path, config := filepath.Join(dir, "collector"), filepath.Join(dir, "collector.yaml")
	build := exec.CommandContext(t.Context(), "go", "-C", "../../bench/collector", "build", "-o", path, ".")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	writeFile(t, config, fmt.Sprintf(collectorSettings, address))
	c := &collector{url: "http://" + address}
	process := exec.CommandContext(context.WithoutCancel(t.Context()), path, "--config", config)
	printed, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	reading.Go(func() { c.read(t, printed) })
	t.Cleanup(func() {
		_ = process.Process.Signal(syscall.SIGTERM)
		reading.Wait()
		_ = process.Wait()
	})
	return c
}

// read takes the spans that are printed: a batch a line.
func (c *collector) read(t *testing.T, printed io.Reader) {
	for batches := json.NewDecoder(bufio.NewReader(printed)); ; {
		var batch struct {
			ResourceSpans []struct {
				Resource   struct{ Attributes attributes }
				ScopeSpans []struct{ Spans []collected }
			}
		}
		if err := batches.Decode(&batch); err != nil {
			if !errors.Is(err, io.EOF) {
				t.Errorf("the collector prints something that is no trace: %v", err)
			}
			return
		}
		c.mu.Lock()
		for _, process := range batch.ResourceSpans {
			for _, scope := range process.ScopeSpans {
				for _, span := range scope.Spans {
					span.instance = process.Resource.Attributes.of("service.instance.id")
					c.all = append(c.all, span)
				}
			}
		}
		c.mu.Unlock()
	}
}

// trace returns the spans of a trace that have been printed so far.
func (c *collector) trace(id string) []collected {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.all), func(s collected) bool { return s.TraceID != id })
}
