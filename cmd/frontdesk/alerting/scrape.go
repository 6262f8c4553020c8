package alerting

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Target is a process that Prometheus would scrape.
type Target struct {
	Job      string // as in docs/operate/prometheus.yml
	Instance string
	URL      string // of its private listener
}

// Scrape is one answer of a target.
type Scrape struct {
	Target Target
	At     time.Time
	Up     bool // false if it did not answer, and then without series
	Series map[string]Sample
}

// Sample is the value of a series, such as `frontdesk_log_head`, at a scrape.
type Sample struct {
	Value   float64
	Counter bool // it only grows; includes buckets and counts of histograms
}

// scrapeLimit is Prometheus's own.
const scrapeLimit = 10 * time.Second

// scraping uses a new connection each time: an old one may lead to a process that has ended.
var scraping = &http.Client{Timeout: scrapeLimit, Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}

// Take scrapes a target at an instant. One that does not answer is down, which is no error; an answer
// that is not in Prometheus's format is one.
func Take(ctx context.Context, target Target, at time.Time) (Scrape, error) {
	scrape := Scrape{Target: target, At: at}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.URL+"/metrics", nil)
	if err != nil {
		return scrape, fmt.Errorf("scrape %s: %w", target.Job, err)
	}
	response, err := scraping.Do(request)
	if err != nil {
		return scrape, nil // it is down
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return scrape, nil
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return scrape, fmt.Errorf("scrape %s: %w", target.Job, err)
	}
	scrape.Up, scrape.Series = true, map[string]Sample{}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			scrape.add(name, m)
		}
	}
	return scrape, nil
}

// add takes the series of one metric. Summaries are no frontdesk's.
func (s *Scrape) add(name string, m *dto.Metric) {
	labels := s.labels(m)
	switch {
	case m.GetCounter() != nil:
		s.Series[series(name, labels)] = Sample{m.GetCounter().GetValue(), true}
	case m.GetGauge() != nil:
		s.Series[series(name, labels)] = Sample{m.GetGauge().GetValue(), false}
	case m.GetHistogram() != nil:
		h := m.GetHistogram()
		s.Series[series(name+"_count", labels)] = Sample{float64(h.GetSampleCount()), true}
		s.Series[series(name+"_sum", labels)] = Sample{h.GetSampleSum(), true}
		for _, b := range h.GetBucket() {
			le := label("le", strconv.FormatFloat(b.GetUpperBound(), 'g', -1, 64))
			s.Series[series(name+"_bucket", append(slices.Clone(labels), le))] = Sample{float64(b.GetCumulativeCount()), true}
		}
	}
}

// labels are the metric's and those that Prometheus adds.
func (s *Scrape) labels(m *dto.Metric) []string {
	var labels []string
	for _, pair := range m.GetLabel() {
		labels = append(labels, label(pair.GetName(), pair.GetValue()))
	}
	return append(labels, label("job", s.Target.Job), label("instance", s.Target.Instance))
}

func label(name, value string) string { return name + "=" + strconv.Quote(value) }

func series(name string, labels []string) string {
	return name + "{" + strings.Join(labels, ",") + "}"
}

// metric is the name of a series.
func metric(series string) string {
	name, _, _ := strings.Cut(series, "{")
	return name
}
