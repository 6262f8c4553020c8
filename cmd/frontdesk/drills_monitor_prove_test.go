//go:build prove

package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"frontdesk/adapters/clock"
)

// monitors starts Prometheus with the operators' targets and rules, and the exporters of Debian that it names.
func (d *drilled) monitors() {
	d.t.Helper()
	texts := filepath.Join(d.dir, "texts")
	d.must(os.Mkdir(texts, 0o755))
	now := clock.System().Unix()
	writeFile(d.t, filepath.Join(texts, "frontdesk.prom"),
		fmt.Sprintf("frontdesk_backup_completed_timestamp_seconds %d\nfrontdesk_backup_verified_timestamp_seconds %d\n", now, now))
	modules := filepath.Join(d.dir, "blackbox.yml")
	writeFile(d.t, modules, "modules: {http_2xx: {prober: http, http: {tls_config: {ca_file: "+d.trusts.file+"}}}}\n")
	hosts := filepath.Join(d.dir, "hosts")
	writeFile(d.t, hosts, "127.0.0.1 localhost auth.example.com elm-street.example.com\n")
	d.exports("prometheus-node-exporter", nil, "--web.listen-address", d.at.machine, "--collector.disable-defaults", "--collector.filesystem",
		"--collector.textfile", "--collector.textfile.directory", texts)
	d.exports("prometheus-postgres-exporter", []string{"DATA_SOURCE_NAME=" + d.ofMonitor()}, "--web.listen-address", d.at.postgres)
	d.exports("unshare", nil, "--mount", "bash", "-c", `mount --bind "$0" /etc/hosts && exec "$@"`, hosts, // the names are only its own
		"prometheus-blackbox-exporter", "--web.listen-address", d.at.outside, "--config.file", modules)
	config := replaced(d.t, operations(d.t, "prometheus.yml"),
		"['frontdesk-1:9090', 'frontdesk-2:9090']", "['"+d.serve[0].place.private+"', '"+d.serve[1].place.private+"']",
		"'frontdesk-sign:9091'", "'"+d.at.sign+"'", "'frontdesk-relay:9092'", "'"+d.at.relay+"'", "'proxy:8405'", "'"+d.at.proxyMetrics+"'",
		"['db1:9187', 'db2:9187', 'db3:9187']", "['"+d.at.postgres+"']",
		"['frontdesk-1:9100', 'frontdesk-2:9100', 'db1:9100', 'db2:9100', 'db3:9100']", "['"+d.at.machine+"']",
		"https://auth.example.org/", "https://auth.example.com:"+portOf(d.t, d.at.proxy)+"/",
		"https://elm-street.api.example.org/", "https://elm-street.example.com:"+portOf(d.t, d.at.proxy)+"/", "'blackbox:9115'", "'"+d.at.outside+"'")
	file, place := filepath.Join(d.dir, "prometheus.yml"), drillAddress(d.t)
	writeFile(d.t, file, config)
	writeFile(d.t, filepath.Join(d.dir, "alerts.yaml"), operations(d.t, "alerts.yaml"))
	untilTheEnd(d.t, exec.CommandContext(context.WithoutCancel(d.t.Context()), "prometheus",
		"--config.file", file, "--storage.tsdb.path", filepath.Join(d.dir, "series"), "--web.listen-address", place))
	d.heard = prometheus{d.t, "http://" + place}
	waitFor(d.t, d.heard.ready)
}

// ofMonitor is the database's address for lib/pq.
func (d *drilled) ofMonitor() string {
	at, err := url.Parse(d.postgres.URL("frontdesk", "monitor"))
	d.must(err)
	query := at.Query()
	query.Set("sslmode", "disable")
	at.RawQuery = query.Encode()
	return at.String()
}

func (d *drilled) exports(program string, env []string, args ...string) {
	d.t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(d.t.Context()), program, args...)
	cmd.Env = append(os.Environ(), env...)
	untilTheEnd(d.t, cmd)
}

// healthy are queries that are answered when all is well.
var healthy = map[string]string{
	"every target answers":     `min(up) == 1 and min(count_over_time(up[5m])) >= 2`,
	"both processes serve":     `sum(frontdesk_ready) == 2`,
	"all is seen from outside": `min(probe_success) == 1 and count(probe_success) == 2`,
	"the database is seen":     `pg_up == 1`,
	"the log is relayed":       `frontdesk_relay_lag_seconds < 10`,
	"the log is signed":        `frontdesk_signer_completed_timestamp_seconds > 0`,
	"HAProxy serves":           `haproxy_server_status{proxy="frontdesk",state="UP"} == 1`,
}

// watched waits until Prometheus sees that all is well, and none of these rules fires.
func (d *drilled) watched(rules []string) {
	d.t.Helper()
	var lacks []string
	for watch := clock.Start(); watch.Elapsed() < 3*time.Minute; time.Sleep(time.Second) {
		lacks, d.fired = nil, map[string]bool{}
		for what, query := range healthy {
			if len(d.heard.query(query)) == 0 {
				lacks = append(lacks, what)
			}
		}
		for _, name := range d.firing() {
			d.fired[name] = true
			if slices.Contains(rules, name) {
				lacks = append(lacks, name+" is silent")
			}
		}
		if len(lacks) == 0 {
			return
		}
	}
	d.t.Fatalf("before the trouble, Prometheus does not see that %q", lacks)
}

// hears waits until each of the rules fires, and returns after how long those that fire did.
func (d *drilled) hears(rules []string) (after map[string]time.Duration) {
	d.t.Helper()
	after = map[string]time.Duration{}
	missing := func(rule string) bool { return after[rule] == 0 }
	for watch := clock.Start(); slices.ContainsFunc(rules, missing); time.Sleep(500 * time.Millisecond) {
		if watch.Elapsed() > heardWithin {
			d.t.Errorf("after two minutes, %v fire, and not all of %v", after, rules)
			break
		}
		for _, name := range d.firing() {
			if !d.fired[name] && after[name] == 0 {
				after[name] = watch.Elapsed()
			}
		}
	}
	d.t.Logf("heard: %v", after)
	return after
}

// firing are the rules that fire. Disks that are not the drill's own do not count.
func (d *drilled) firing() (names []string) {
	d.t.Helper()
	response, err := d.heard.get("/api/v1/alerts")
	d.must(err)
	defer response.Body.Close()
	var answer struct {
		Data struct {
			Alerts []struct {
				Labels map[string]string
				State  string
			}
		}
	}
	d.must(json.NewDecoder(response.Body).Decode(&answer))
	for _, alert := range answer.Data.Alerts {
		disk, of := alert.Labels["mountpoint"]
		if alert.State == "firing" && (!of || disk == d.small) {
			names = append(names, alert.Labels["alertname"])
		}
	}
	return names
}
