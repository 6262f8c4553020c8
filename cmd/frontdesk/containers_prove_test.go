//go:build prove

package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/provetest"
	"frontdesk/docs"
	"frontdesk/domain/application"
)

const containersPage = "operate/containers.md"

// TestProveContainers_D106 types the commands of docs/operate/containers.md. With
// compose.yaml it kills the primary and the first process under load; it also uses
// compose.single.yaml.
func TestProveContainers_D106(t *testing.T) { //nolint:paralleltest // it has the machine to itself
	if !inTheirWorld(t) {
		return
	}
	c := newContainers(t)
	documented := docs.OperatorsBlocks(t, containersPage, "Containers")
	if len(documented) != 7 {
		t.Fatalf("%s has %d blocks below Containers", containersPage, len(documented))
	}
	images, start, onboard, letIn := documented[0], documented[1], documented[2], documented[3]
	look, upgrade, down := documented[4], documented[5], documented[6]
	single := docs.OperatorsBlocks(t, containersPage, "One Postgres, one process")[0]
	c.run(images)

	c.compose = "compose.yaml:" + c.toTrust("serve-1", "serve-2")
	c.run(start)
	c.onboard(onboard)
	c.run(letIn)
	c.run(look)
	c.confined()
	follower := c.follow()
	c.healthy("db1", "db2", "db3", "etcd1", "etcd2", "etcd3", "serve-1", "serve-2", "proxy")
	c.rests()
	stop := c.work()
	c.goOn()
	c.run("podman stop --time 0 frontdesk-" + c.primary()) // kill -9, and no manager restarts it
	c.goOn()
	c.crash("serve-1")
	c.goOn()
	c.run("podman start frontdesk-db1 frontdesk-db2 frontdesk-db3")
	c.run(upgrade)
	c.goOn()
	stop()
	c.keptAll()
	c.relayed()
	follower.wantAll()
	c.run(down)
	c.leavesNothing()

	c.must(os.RemoveAll(filepath.Join(c.dir, "secrets")))
	single = strings.ReplaceAll(single, "compose.single.yaml", "compose.single.yaml:"+c.toTrust("serve-1"))
	alone := func(lines string) string { return single + strings.ReplaceAll(lines, "db1,db2,db3", "db1") }
	c.run(alone(start))
	c.onboard(alone(onboard))
	c.confined()
	c.healthy("db1", "serve-1", "proxy")
	c.rests()
	stop = c.work()
	c.goOn()
	c.crash("db1")
	c.run(startedAgain)
	c.goOn()
	stop()
	c.keptAll()
	c.run(alone(down))
	c.leavesNothing()
	provetest.Tried(t, 3, "kills")
}

// onboard types the lines for a practice and an application, and registers a patient.
func (c *containers) onboard(lines string) {
	c.t.Helper()
	c.run(lines + `
frontdesk application grant --application "$application" --endpoint create-patient-request --mode application-restricted
echo "$application" > ../application
frontdesk patient register --tenant elm-street --name 'Ann Archer' --json > ../patient
`)
	var made struct{ PatientID string }
	c.must(json.Unmarshal([]byte(c.read("../patient")), &made))
	id, err := uuid.Parse(strings.TrimSpace(c.read("../application")))
	c.must(err)
	c.application, c.patient, c.answered, c.webhooks = bearertest.NewApplication(application.ID{UUID: id}), made.PatientID, &answers{}, &counted{}
	c.keys.Store(new(c.application.JWKS()))
}

// healthy runs the containers' health checks. Without systemd, they do not run regularly.
func (c *containers) healthy(names ...string) {
	c.t.Helper()
	for _, name := range names {
		c.run("podman healthcheck run frontdesk-" + name)
	}
}

// confined looks for a container with more rights than it needs: to change its files, be
// root, gain rights, take all memory, or be reached from elsewhere without being the proxy.
func (c *containers) confined() {
	c.t.Helper()
	var found []struct {
		Name       string
		Config     struct{ User string }
		HostConfig struct {
			ReadonlyRootfs bool
			Memory         int64
			SecurityOpt    []string
			PortBindings   map[string][]struct {
				HostIP string `json:"HostIp"`
			}
		}
		EffectiveCaps []string
	}
	c.must(json.Unmarshal([]byte(c.run("podman inspect $(podman ps --all --quiet)")), &found))
	for _, is := range found {
		of := is.HostConfig
		if user, _, _ := strings.Cut(is.Config.User, ":"); user == "" || user == "0" || user == "root" || len(is.EffectiveCaps) > 0 ||
			!of.ReadonlyRootfs || of.Memory == 0 || !slices.Contains(of.SecurityOpt, "no-new-privileges") {
			c.t.Errorf("%s may do too much: %+v", is.Name, is)
		}
		for port, at := range of.PortBindings {
			if is.Name != "frontdesk-proxy" && len(at) > 0 && at[0].HostIP != "127.0.0.1" {
				c.t.Errorf("%s of %s can be reached from elsewhere: %v", port, is.Name, at)
			}
		}
	}
}

// rests prints the containers' use of resources while idle.
func (c *containers) rests() {
	c.t.Helper()
	c.t.Logf("at rest:\n%s", c.run("podman stats --no-stream --format '{{.Name}} {{.MemUsage}}' | sort; podman images --format '{{.Repository}} {{.Size}}'"))
}

// primary is the container that takes writes, according to Patroni.
func (c *containers) primary() string {
	c.t.Helper()
	var members []struct{ Member, Role string }
	c.must(json.Unmarshal([]byte(c.run("podman exec frontdesk-db1 patronictl list --format json")), &members))
	for _, m := range members {
		if m.Role == "Leader" {
			return m.Member
		}
	}
	c.t.Fatalf("no leader: %v", members)
	return ""
}

// crash kills the first process of a container, which podman then starts again: a
// container that podman itself has killed stays away.
func (c *containers) crash(name string) {
	c.t.Helper()
	c.run("kill -KILL $(podman inspect --format '{{.State.Pid}}' frontdesk-" + name + ")")
}

// startedAgain waits until podman has started a killed container again. Podman 4.3 sometimes
// leaves it dead, as docs/operate/containers.md describes: then it takes half a minute
// longer.
const startedAgain = `for n in $(seq 15); do
	sleep 2; if [ "$(podman inspect --format '{{.State.Running}}' frontdesk-db1)" = true ]; then exit; fi
done; podman start frontdesk-db1`

// goOn waits until later calls are answered and later webhooks arrive.
func (c *containers) goOn() {
	c.t.Helper()
	answered, webhooks := c.answered.count(), c.webhooks.count()
	waitFor(c.t, func() bool { return c.answered.count() > answered+50 && c.webhooks.count() > webhooks+20 })
}

// keptAll compares the answers with the database, and looks for webhooks that were sent
// twice.
func (c *containers) keptAll() {
	c.t.Helper()
	var stored []string
	for _, db := range []string{"db1", "db2", "db3"} {
		stored, _ = c.submitted(db)
		if len(stored) > 0 {
			break
		}
	}
	for _, id := range c.answered.ids {
		if !slices.Contains(stored, id.String()) {
			c.t.Errorf("request %s was answered 200, and is not there", id)
		}
	}
	if twice := c.webhooks.twice(); len(twice) > 0 {
		c.t.Errorf("sent twice: %v", twice)
	}
	provetest.Tried(c.t, c.answered.count(), "requests answered")
	c.t.Logf("%d requests answered 200, %d of other calls and refusals by status %v, %d webhooks", c.answered.count(), c.opened.Load(), c.refused.counts(), c.webhooks.count())
}

// submitted are the requests that a server of the database knows.
func (c *containers) submitted(db string) ([]string, error) {
	said, err := c.try(fmt.Sprintf(`podman exec frontdesk-%s psql --no-psqlrc --tuples-only --no-align --dbname frontdesk \
		--command "SELECT stream FROM events WHERE name = 'patient-request.submitted.v1'"`, db))
	return strings.Fields(said), err
}

// relayed waits until the broker holds the whole log.
func (c *containers) relayed() {
	c.t.Helper()
	waitFor(c.t, func() bool {
		head, relayed := metricAt(c.t.Context(), "9091", "frontdesk_log_head"), metricAt(c.t.Context(), "9091", "frontdesk_relay_idx")
		return head >= 0 && head == relayed
	})
}

// leavesNothing removes the data, as an operator would at the end, and looks for remains.
func (c *containers) leavesNothing() {
	c.t.Helper()
	c.run("podman volume rm $(podman volume ls --quiet) && podman network rm frontdesk_default")
	if left := c.run("podman ps --all --quiet; podman volume ls --quiet; podman network ls --quiet"); strings.TrimSpace(left) != "podman" {
		c.t.Errorf("left: %s", left)
	}
}
