package alerting_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"frontdesk/adapters/clock"
)

// exporter answers as an exporter of prometheus.yml does, with what a test says of a machine.
// Its names are those of the real exporters; no test compares them.
type exporter struct {
	mu      sync.Mutex
	gauges  map[string]float64
	counts  map[string]float64 // a second
	started clock.Stopwatch
}

// exports adds an exporter under a job.
func (w *world) exports(job string, gauges, counts map[string]float64) {
	w.t.Helper()
	e := &exporter{gauges: gauges, counts: counts, started: clock.Start()}
	server := httptest.NewServer(e)
	w.t.Cleanup(server.Close)
	w.exporters = append(w.exporters, &process{target: target(job, server.URL)})
	w.says = e.set
}

func (e *exporter) set(name string, value float64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.counts[name]; ok {
		e.counts[name] = value
		return
	}
	e.gauges[name] = value
}

// ServeHTTP answers with all series. A counter has grown at its pace since the start.
func (e *exporter) ServeHTTP(rw http.ResponseWriter, _ *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for name, value := range e.gauges {
		fmt.Fprintf(rw, "# TYPE %s gauge\n%s %f\n", bare(name), name, value)
	}
	for name, pace := range e.counts {
		fmt.Fprintf(rw, "# TYPE %s counter\n%s %f\n", bare(name), name, pace*e.started.Elapsed().Seconds())
	}
}

func bare(series string) string { name, _, _ := strings.Cut(series, "{"); return name }

func unix(since time.Duration) float64 { return float64(clock.System().Add(since).Unix()) }

// The series of healthy surroundings.
const (
	completed    = "frontdesk_backup_completed_timestamp_seconds"
	lastVerified = "frontdesk_backup_verified_timestamp_seconds"
	avail        = `node_filesystem_avail_bytes{device="/dev/vda",fstype="ext4",mountpoint="/"}`
	size         = `node_filesystem_size_bytes{device="/dev/vda",fstype="ext4",mountpoint="/"}`
	expiry       = "probe_ssl_earliest_cert_expiry"
	failed       = "pg_stat_archiver_failed_count"
	archives     = "pg_stat_archiver_archived_count"
	archivedAgo  = "pg_stat_archiver_last_archive_age"
	readOnly     = "pg_settings_transaction_read_only"
	backends     = `pg_stat_database_numbackends{datname="frontdesk"}`
	standby      = `pg_stat_replication_pg_wal_lsn_diff{application_name="db2"}`
	ourFaults    = `haproxy_server_http_responses_total{code="5xx",proxy="frontdesk",server="first"}`
	allFaults    = `haproxy_frontend_http_responses_total{code="5xx",proxy="tls"}`
	allCalls     = `haproxy_frontend_http_requests_total{proxy="tls"}`
)

func (w *world) hasMachine() {
	w.exports("frontdesk-machine", map[string]float64{completed: unix(-time.Hour), lastVerified: unix(-24 * time.Hour), avail: 60, size: 100}, nil)
}

func (w *world) isProbed() {
	w.exports("frontdesk-outside", map[string]float64{"probe_success": 1, expiry: unix(60 * 24 * time.Hour)}, nil)
}

func (w *world) hasPostgresExporter() {
	w.exports("frontdesk-postgres", map[string]float64{"pg_up": 1, backends: 40, "pg_settings_max_connections": 100, standby: 4096, archivedAgo: 30, readOnly: 0}, map[string]float64{failed: 0, archives: 0.1})
}

func (w *world) hasProxy() {
	w.exports("frontdesk-proxy", nil, map[string]float64{ourFaults: 0, allFaults: 0, allCalls: 10})
}

// saying is a cause in the surroundings, which an exporter tells of.
func saying(alert string, with func(*world), name string, wrong, right float64) cause {
	return cause{
		fires: []string{alert}, with: with,
		wrong: func(w *world) { w.says(name, wrong) }, fix: func(w *world) { w.says(name, right) },
	}
}

var surroundingsCauses = map[string]cause{
	"the pages do not answer from outside": saying("OutsideProbeFails", (*world).isProbed, "probe_success", 0, 1),
	"a certificate ends in ten days": {
		fires: []string{"CertificateEnds"}, with: (*world).isProbed,
		wrong: func(w *world) { w.says(expiry, unix(10*24*time.Hour)) },
		fix:   func(w *world) { w.says(expiry, unix(90*24*time.Hour)) },
	},
	"the archive of WAL fails": {
		fires: []string{"ArchiveFails"}, with: (*world).hasPostgresExporter,
		wrong: func(w *world) { w.says(archives, 0); w.says(failed, 0.05) },
		fix:   func(w *world) { w.says(archives, 0.2); w.says(failed, 0) },
	},
	"WAL has not been archived for an hour, and no attempt has failed": saying("ArchiveFails", (*world).hasPostgresExporter, archivedAgo, 3600, 30),
	"no backup was made for two days": {
		fires: []string{"BackupIsOld"}, with: (*world).hasMachine,
		wrong: func(w *world) { w.says(completed, unix(-48*time.Hour)) },
		fix:   func(w *world) { w.says(completed, unix(0)) },
	},
	"no backup was ever made": {
		fires: []string{"BackupIsOld"},
		with:  func(w *world) { w.hasMachine() },
		wrong: func(w *world) {
			w.exporters = nil
			w.exports("frontdesk-machine", map[string]float64{avail: 60, size: 100}, nil)
		},
	},
	"no backup was verified for ten days": {
		fires: []string{"BackupIsNotVerified"}, with: (*world).hasMachine,
		wrong: func(w *world) { w.says(lastVerified, unix(-10*24*time.Hour)) },
		fix:   func(w *world) { w.says(lastVerified, unix(0)) },
	},
	"a disk is nearly full":   saying("DiskFills", (*world).hasMachine, avail, 12, 60),
	"connections are in use":  saying("ConnectionsRunOut", (*world).hasPostgresExporter, backends, 95, 40),
	"a standby is far behind": saying("StandbyLags", (*world).hasPostgresExporter, standby, 5e9, 4096),
	"a standby does not follow": {
		fires: []string{"StandbyIsAway"}, with: (*world).hasPostgresExporter,
		wrong: func(w *world) {
			w.exporters = nil
			w.exports("frontdesk-postgres", map[string]float64{"pg_up": 1, backends: 40, "pg_settings_max_connections": 100}, map[string]float64{failed: 0, archives: 0.1})
		},
	},
	"a disk is full": {
		fires: []string{"DiskIsFull", "DiskFills"}, with: (*world).hasMachine,
		wrong: func(w *world) { w.says(avail, 2) }, fix: func(w *world) { w.says(avail, 60) },
	},
	"the proxy reaches no process": {
		fires: []string{"ProxyRefuses", "BudgetIsUsed"}, with: (*world).hasProxy,
		wrong: func(w *world) { w.says(allFaults, 5) },
	},
	"the pages may not read sessions": {
		fires: []string{"PagesFail", "BudgetIsUsed"}, still: []string{"BudgetIsUsed"},
		with: func(w *world) { w.browses() },
		wrong: func(w *world) {
			w.as(`REVOKE SELECT ON staff_sessions FROM frontdesk_app`)
			w.until("pages fail", func(m metrics) bool {
				return m.above("frontdesk_page_seconds_count", 0) && m.most("frontdesk_page_seconds_count", `status="500"`) > 2
			})
		},
		fix: func(w *world) { w.as(`GRANT SELECT ON staff_sessions TO frontdesk_app`) },
	},
}

// browses requests a page repeatedly, with an expired session.
func (w *world) browses() {
	w.runs(func(ctx context.Context) error {
		for ctx.Err() == nil {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, (*w.addresses.Load())[0]+"/elm-street/staff", nil)
			if err != nil {
				return err
			}
			r.AddCookie(&http.Cookie{Name: "frontdesk-elm-street", Value: strings.Repeat("A", 43)})
			if response, err := http.DefaultTransport.RoundTrip(r); err == nil {
				_ = response.Body.Close()
			}
			pause(ctx, usualPause)
		}
		return nil
	})
}
