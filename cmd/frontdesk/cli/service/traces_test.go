package service_test

import (
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/tracing/tracingtest"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/docs"
)

// The check asks the collector, but serving does not need one; and the first line names the
// destination of traces.
func TestWhereTracesGoIsCheckedAndSaid_D109(t *testing.T) {
	t.Parallel()
	db, collector := postgrestest.New(t), tracingtest.New(t)
	for url, how := range map[string]string{collector.URL: "ok: the collector takes them", "http://127.0.0.1:1": "fix: the collector takes none"} {
		o := clitest.CheckServing(t, db.URL, "--traces", url)
		o.WantSuccess(t)
		if got := o.Checks()["traces"]; !strings.HasPrefix(got, how) {
			t.Errorf("of %s the check says %q, want %q", url, got, how)
		}
	}
	if spans := collector.Spans(); len(spans) > 0 {
		t.Errorf("the check sends %v", spans)
	}
	clitest.CheckServing(t, db.URL, "--traces=collector:4318").WantFailure(t, 2, "--traces is the address of a collector")
	line := clitest.Serving(t, "--database-url", db.URL, "--traces", collector.URL).Line(t, "serving")
	if traces, _ := line["traces"].(map[string]any); traces["url"] != collector.URL || traces["share"] != 0.1 {
		t.Errorf("the first line says %v of traces", line["traces"])
	}
}

func TestTracesAreSetByThePage_D109(t *testing.T) {
	t.Parallel()
	o := clitest.ServeNowhere(t, "--config", clitest.SettingsFile(t, docs.OperatorsBlocks(t, "operate/traces.md", "Traces")[0]),
		"--listen=127.0.0.1:0", "--api-domain=api.example", "--auth-url=https://auth.example")
	if said := o.Configuration(); !strings.HasPrefix(said["traces"], "http://collector:4318 by ") || !strings.HasPrefix(said["traces-share"], "0.1 by ") {
		t.Errorf("of the page's file it says\n%s%s", o.Out, o.Err)
	}
}
