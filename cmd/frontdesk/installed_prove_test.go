//go:build prove

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/provetest"
	"frontdesk/docs"
)

const (
	debianPage  = "operate/install-on-debian.md"
	systemdPage = "operate/systemd.md"
)

// TestProveInstalled_D112 types the commands of docs/operate/install-on-debian.md, from the
// first to the last, on a Debian that has only the archive, and then those of systemd.md.
func TestProveInstalled_D112(t *testing.T) { //nolint:paralleltest // it has the machine to itself
	if !onAMachine(t) {
		return
	}
	authority := newAuthority(t)
	m := newInstalled(t, "machine")
	m.podman("cp", filepath.Join(os.Getenv(containersDir), "release")+"/.", m.name+":/root/")
	for _, below := range []string{"Make the names", "Prepare the machine", "Install the program", "Create the database"} {
		m.followed(debianPage, below)
	}
	if said := m.do("frontdesk version"); !strings.Contains(said, "\ncommit: ") || strings.Contains(said, "with changes") {
		t.Errorf("the program of the archive prints\n%s", said)
	}
	m.do("echo FRONTDESK_ALLOW_NETWORK=127.0.0.0/8 >> /etc/frontdesk/serve.env")
	m.followed(debianPage, "Start the service")
	authority.isTrustedBy(m)
	for _, below := range []string{"Get a certificate", "Put the proxy in front", "Become an operator", "Register the first practice", "Make the first backup", "Check everything", "Let Prometheus in"} {
		m.followed(debianPage, below)
	}
	authority.opens(m.do("frontdesk staff invite-again --tenant elm-street --username sam.taylor"))
	authority.renews(m)
	calls := newInstalledCalls(m, authority)
	calls.answered()

	nats := brokertest.New(t)
	m.do(strings.Replace(docs.OperatorsBlocks(t, systemdPage, "The relay")[0], "nats://127.0.0.1:4222", nats.URL(), 1))
	m.followed(systemdPage, "Two processes on one machine")
	calls.answered()
	m.works()
	m.confined()
	m.stops("frontdesk", "frontdesk-sign", "frontdesk-relay")
	calls.answered() // by the second process
	m.do("systemctl start frontdesk frontdesk-sign frontdesk-relay")
	for _, unit := range []string{"frontdesk", "frontdesk-sign", "frontdesk-relay"} {
		m.crash(unit)
	}
	calls.answered()
	m.works()

	m.do("touch --date '2 days ago' /var/lib/systemd/timers/stamp-frontdesk-{retain,backup}.timer") // it was off in the night
	m.reboot()
	calls.answered()
	m.works()
	waitFor(t, func() bool { return m.logged("frontdesk-retain", "there are partitions up to") })
	waitFor(t, func() bool { return m.logged("frontdesk-backup", "is complete") })

	m.do(docs.OperatorsBlocks(t, debianPage, "Install the program", "sh")[0])
	m.followed(systemdPage, "Upgrade")
	calls.answered()
	m.works()
	provetest.Tried(t, 3, "crashes")
	provetest.Tried(t, 1, "reboots")
	m.isAnImage(docs.OperatorsBlocks(t, "operate/kubernetes.md", "The image", "sh")[0])
}

// isAnImage makes an image of the archive's program, outside of the machine.
func (m *installed) isAnImage(lines string) {
	m.t.Helper()
	build := exec.CommandContext(m.t.Context(), "bash", "-euc", "tar --extract --file *.tar.gz --strip-components 1\npodman tag "+debianMachine+
		" localhost/frontdesk-debian\n"+lines+"podman run --rm --network none --read-only --cap-drop all registry.example.org/frontdesk:v0.0.0 version")
	build.Dir = filepath.Join(os.Getenv(containersDir), "release")
	if said, err := build.CombinedOutput(); err != nil || !strings.Contains(string(said), "needs database schema") {
		m.t.Errorf("as an image: %v: %s", err, said)
	}
}

// works waits until the signer has published a checkpoint of all that is stored, and the
// relay has handed it over.
func (m *installed) works() {
	m.t.Helper()
	waitFor(m.t, func() bool {
		ctx := m.t.Context()
		head := metricAt(ctx, "9090", "frontdesk_log_head")
		return head >= 0 && head == metricAt(ctx, "9092", "frontdesk_relay_idx") && metricAt(ctx, "9091", "frontdesk_signer_alarms") == 0 &&
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

// confined looks for a unit with more rights than it needs, on systemd's own scale from 0 to
// 10.
func (m *installed) confined() {
	m.t.Helper()
	m.do("systemd-analyze --no-pager security --threshold=12 frontdesk frontdesk-sign frontdesk-relay")
	if users := m.do("ps -o user= -C frontdesk | sort -u | wc -l"); strings.TrimSpace(users) != "3" {
		m.t.Errorf("three units, of which one runs twice, run as %s users", users)
	}
}

// stops stops units, which end on their own, within systemd's time limit.
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

// logged reports whether a unit has logged a text since the machine was started.
func (m *installed) logged(unit, text string) bool {
	said, err := m.try("journalctl --no-pager --output cat --unit " + unit)
	return err == nil && strings.Contains(said, text)
}
