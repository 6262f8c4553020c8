//go:build prove

package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/broker/brokertest"
	"frontdesk/docs"
	"frontdesk/domain/application"
)

const systemdPage = "operations/systemd.md"

// TestProveInstalled_D112 does what docs/operations/systemd.md says, letter by letter, on a
// machine that has the archive and nothing else of ours.
func TestProveInstalled_D112(t *testing.T) { //nolint:paralleltest // it has the machine to itself
	if !onAMachine(t) {
		return
	}
	m := newInstalled(t)
	install, database := docs.OperatorsBlocks(t, systemdPage, "Install"), docs.OperatorsBlocks(t, systemdPage, "The database")[0]
	unpack, settings := install[0], install[1]
	if said := m.do(unpack); !strings.Contains(said, "\ncommit: ") || strings.Contains(said, "with changes") {
		t.Errorf("the program of the archive says\n%s", said)
	}
	nats := brokertest.New(t)
	m.do("cd /usr/local/share/doc/frontdesk\n" + settings + "echo FRONTDESK_ALLOW_NETWORK=127.0.0.0/8 >> /etc/frontdesk/serve.env\n" + database)
	start := docs.OperatorsBlocks(t, systemdPage, "Start")[0]
	m.do(start)
	helpers, _, _ := strings.Cut(database, "superuser <<<")
	m.do(helpers + strings.Replace(docs.OperatorsBlocks(t, systemdPage, "The relay")[0], "nats://127.0.0.1:4222", nats.URL(), 1))
	calls := newInstalledCalls(m, helpers)

	calls.answered()
	m.works()
	m.confined()
	m.stops("frontdesk", "frontdesk-sign", "frontdesk-relay")
	m.do("systemctl start frontdesk frontdesk-sign frontdesk-relay")
	calls.answered()
	for _, unit := range []string{"frontdesk", "frontdesk-sign", "frontdesk-relay"} {
		m.crash(unit)
	}
	calls.answered()
	m.works()

	m.do("touch --date '2 days ago' /var/lib/systemd/timers/stamp-frontdesk-retain.timer") // it was off in the night
	m.reboot()
	calls.answered()
	m.works()
	waitFor(t, func() bool { return m.says("frontdesk-retain", "there are partitions up to") })

	m.do(unpack + docs.OperatorsBlocks(t, systemdPage, "Upgrade")[0])
	calls.answered()
	m.works()
}

// works waits until the signer has published a checkpoint of all that is stored, and the
// relay has handed it over.
func (m *installed) works() {
	m.t.Helper()
	waitFor(m.t, func() bool {
		head := m.metric("9090", "frontdesk_log_head")
		return head != "" && head == m.metric("9092", "frontdesk_relay_idx") && m.metric("9091", "frontdesk_signer_alarms") == "0" &&
			m.checkpoints() > 0
	})
}

// checkpoints is how many the signer has published.
func (m *installed) checkpoints() (count int) {
	said, err := m.try("runuser -u postgres -- psql --no-psqlrc --tuples-only --dbname frontdesk --command 'SELECT count(*) FROM checkpoints'")
	if _, scanned := fmt.Sscan(said, &count); err != nil || scanned != nil {
		return 0
	}
	return count
}

// metric is a value on a private listener, "" if it is not there.
func (m *installed) metric(port, name string) string {
	return (&containers{t: m.t}).metric(port, name)
}

// confined looks for a unit that may do more than it needs, by systemd's own scale from 0 to 10.
func (m *installed) confined() {
	m.t.Helper()
	m.do("systemd-analyze --no-pager security --threshold=12 frontdesk frontdesk-sign frontdesk-relay")
	if users := m.do("ps -o user= -C frontdesk | sort -u | wc -l"); strings.TrimSpace(users) != "3" {
		m.t.Errorf("three units run as %s users", users)
	}
}

// stops stops units, which end by themselves, within the time that systemd gives them.
func (m *installed) stops(units ...string) {
	m.t.Helper()
	m.do("systemctl stop " + strings.Join(units, " "))
	for _, unit := range units {
		if result := m.show(unit, "Result"); result != "success" {
			m.t.Errorf("%s was stopped: %s", unit, result)
		}
	}
}

// crash kills the process of a unit, and waits for the next one.
func (m *installed) crash(unit string) {
	m.t.Helper()
	before := m.show(unit, "MainPID")
	m.do("kill -KILL " + before)
	waitFor(m.t, func() bool {
		after := m.show(unit, "MainPID")
		return m.show(unit, "ActiveState") == "active" && after != before && after != "0"
	})
}

func (m *installed) show(unit, property string) string {
	m.t.Helper()
	return strings.TrimSpace(m.do("systemctl show --value --property " + property + " " + unit))
}

// says reports whether a unit has said something since the machine was started.
func (m *installed) says(unit, text string) bool {
	said, err := m.try("journalctl --no-pager --output cat --unit " + unit)
	return err == nil && strings.Contains(said, text)
}

// installedCalls calls the service of a machine as an application does.
type installedCalls struct {
	*installed
	application bearertest.Application
	patient     string
}

// newInstalledCalls makes a practice, an application and a patient with the machine's own program.
func newInstalledCalls(m *installed, helpers string) installedCalls {
	m.t.Helper()
	keys := bearertest.NewServer(nil)
	m.t.Cleanup(keys.Close)
	said := m.do(helpers + `
export FRONTDESK_DATABASE_URL=postgres://frontdesk_app@127.0.0.1/frontdesk PGPASSWORD=$(password serve) FRONTDESK_ALLOW_NETWORK=127.0.0.0/8
export FRONTDESK_MASTER_KEY_FILE=/etc/frontdesk/master.key
frontdesk register-practice --tenant elm-street --name 'Elm Street Surgery' >&2
application=$(frontdesk register-application --name Referrals --jwks-url ` + keys.URL + ` --json)
id=$(sed -n 's/.*"applicationId":"\([^"]*\)".*/\1/p' <<< "$application")
frontdesk grant-endpoint --application $id --endpoint create-patient-request --mode application-restricted >&2
frontdesk enable-application --tenant elm-street --application $id >&2
echo "$application"
frontdesk register-patient --tenant elm-street --name 'Ann Archer' --json`)
	var made struct {
		ApplicationID uuid.UUID
		PatientID     string
	}
	for line := range strings.Lines(said) {
		if err := json.Unmarshal([]byte(line), &made); err != nil {
			m.t.Fatalf("%s: %v", said, err)
		}
	}
	calls := installedCalls{m, bearertest.NewApplication(application.ID{UUID: made.ApplicationID}), made.PatientID}
	keys.Publish(calls.application.JWKS())
	return calls
}

// answered waits for an answer to a call: that it is stored.
func (c installedCalls) answered() {
	c.t.Helper()
	var status int
	waitFor(c.t, func() bool { status = c.call(); return status != http.StatusServiceUnavailable && status != 0 })
	if status != http.StatusOK {
		c.t.Fatalf("answered %d", status)
	}
}

// call returns the status of the answer, 0 if nobody listens.
func (c installedCalls) call() int {
	body := fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A cough"}]}`, c.patient)
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, "http://127.0.0.1:8080/transactional-api/create-patient-request", strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Host = "elm-street.api.example.org"
	r.Header.Set("Authorization", "Bearer "+c.application.Token(time.Now()))
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

// TestProveTheReleaseIsTheSameTwice_D112 builds the archive in two folders. Its program runs, and
// every link of its pages leads to a file of it.
func TestProveTheReleaseIsTheSameTwice_D112(t *testing.T) {
	t.Parallel()
	var archives [][]byte
	dir := t.TempDir()
	for _, name := range []string{"one", "another"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		prepared(t, filepath.Join(dir, name))
		out := filepath.Join(dir, name, "release")
		released(t, filepath.Join(dir, name, "frontdesk"), out)
		check := exec.CommandContext(t.Context(), "bash", "-euc", `sha256sum --check SHA256SUMS >&2; tar --extract --strip-components 1 --file *.tar.gz; cat *.tar.gz`)
		check.Dir = out
		archive, err := check.Output()
		if err != nil {
			t.Fatalf("unpack the archive: %v", err)
		}
		archives = append(archives, archive)
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("the same commit makes two archives")
	}
	unpacked := filepath.Join(dir, "one", "release")
	said, err := exec.CommandContext(t.Context(), filepath.Join(unpacked, "frontdesk"), "version").Output()
	if named, _ := filepath.Glob(filepath.Join(unpacked, "frontdesk-*-linux-*.tar.gz")); err != nil || len(named) != 1 ||
		!strings.Contains(named[0], strings.Fields(string(said))[1]) {
		t.Errorf("%v says it is %s, %v", named, said, err)
	}
	leadsWithin(t, unpacked)
}

var linkOfAPage = regexp.MustCompile(`\]\(([^)#\s]+)[^)\s]*\)`)

// leadsWithin looks for links of pages that lead out of the archive, or nowhere.
func leadsWithin(t *testing.T, archive string) {
	t.Helper()
	links := 0
	err := filepath.WalkDir(archive, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, link := range linkOfAPage.FindAllStringSubmatch(string(text), -1) {
			to := filepath.Join(filepath.Dir(path), link[1])
			if strings.Contains(link[1], ":") {
				continue
			}
			links++
			if _, missing := os.Stat(to); missing != nil || !strings.HasPrefix(to, archive) {
				t.Errorf("%s links to %s: %v", path, link[1], missing)
			}
		}
		return err
	})
	if err != nil || links < 100 {
		t.Errorf("%d links, %v", links, err)
	}
}
