//go:build prove

package main_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/domain/staff"
)

// county is a database, and the files that declare its practices.
type county struct {
	*trial
	file, links string
	practices   int
}

// Of each practice.
const (
	countyApplications = 3
	countyStaff        = 5
	countyRooms        = 4
)

func newCounty(t *testing.T, practices int) *county {
	t.Helper()
	dir := postgrestest.Dir(t)
	c := &county{trial: &trial{t: t, data: filepath.Join(dir, "postgres")}, practices: practices}
	c.startPostgres(dir)
	c.file, c.links = filepath.Join(t.TempDir(), "county.yaml"), filepath.Join(t.TempDir(), "links.jsonl")
	c.must(os.WriteFile(c.file, c.declared(), 0o600))
	testworld.Binary(t) // so that no run is measured with it
	return c
}

func (c *county) declared() []byte {
	var text bytes.Buffer
	for n := range countyApplications {
		fmt.Fprintf(&text, "kind: application\napplication: %s\nname: Application %d\njwksUrl: https://app.example/%d/keys\n", applicationOf(n), n, n)
		text.WriteString("grants:\n- {endpoint: create-patient-request, mode: user-restricted}\n- {endpoint: create-note, mode: user-restricted}\n")
		text.WriteString("webhooks:\n- {event: record.opened, url: https://app.example/hook}\n---\n")
	}
	for n := range c.practices {
		fmt.Fprintf(&text, "kind: practice\ntenant: practice-%d\nname: Practice %d\napplications:\n", n, n)
		for a := range countyApplications {
			fmt.Fprintf(&text, "- application: %s\n", applicationOf(a))
		}
		text.WriteString("requestTypes:\n- type: medical\n  hours: &week [mon 08:00-18:30, tue 08:00-18:30, wed 08:00-12:00, thu 08:00-18:30, fri 08:00-18:00]\n- type: admin\n  hours: *week\n")
		text.WriteString("sites:\n- name: Main\n  rooms:\n")
		for r := range countyRooms {
			fmt.Fprintf(&text, "  - name: Room %d\n", r)
		}
		text.WriteString("staff:\n")
		for s := range countyStaff {
			fmt.Fprintf(&text, "- {username: user-%d, name: User %d of %d, email: user-%d@practice-%d.example, roles: [clinician, manager]}\n", s, s, n, s, n)
		}
		text.WriteString("---\n")
	}
	return text.Bytes()
}

func applicationOf(n int) string { return fmt.Sprintf("0190c7a2-0000-7000-8000-%012x", 0xa00+n) }

// apply begins the real program on the files.
func (c *county) apply(args ...string) (command *exec.Cmd, said *bytes.Buffer) {
	c.t.Helper()
	said = &bytes.Buffer{}
	command = exec.CommandContext(context.WithoutCancel(c.t.Context()), testworld.Binary(c.t), append([]string{"apply", "-f", c.file, "--links", c.links}, args...)...)
	command.Env = append(os.Environ(), "FRONTDESK_DATABASE_URL="+c.postgres.URL("frontdesk", postgres.AppRole),
		"FRONTDESK_MASTER_KEY="+hex.EncodeToString(theMasterKey[:]))
	command.Stdout, command.Stderr = said, said
	c.must(command.Start())
	return command, said
}

// applied applies the files completely, and returns the last line of output.
func (c *county) applied(what string, args ...string) string {
	c.t.Helper()
	begun := clock.Start()
	command, said := c.apply(args...)
	if err := command.Wait(); err != nil {
		c.t.Fatalf("%s: %v: %s", what, err, said)
	}
	used := command.ProcessState.SysUsage().(*syscall.Rusage)
	c.t.Logf("%s: %d practices in %s, with %s of CPU, at most %d MiB resident", what, c.practices, begun.Elapsed().Round(time.Millisecond),
		command.ProcessState.UserTime().Round(time.Millisecond), used.Maxrss>>10)
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	return lines[len(lines)-1]
}

func (c *county) count(sql string) (n int) {
	c.t.Helper()
	pool, err := postgres.NewPool(c.t.Context(), c.postgres.URL("frontdesk", embedded.Superuser), 1)
	c.must(err)
	defer pool.Close()
	c.must(pool.QueryRow(c.t.Context(), sql).Scan(&n))
	return n
}

// complete fails unless exactly the declared things are there, each once.
func (c *county) complete() {
	c.t.Helper()
	for sql, want := range map[string]int{
		`SELECT count(*) FROM applications`:                                      countyApplications,
		`SELECT count(*) FROM practices`:                                         c.practices,
		`SELECT count(*) FROM enablements`:                                       c.practices * countyApplications,
		`SELECT count(*) FROM intakes WHERE cardinality(hours) = 5`:              c.practices * 2,
		`SELECT count(*) FROM sites`:                                             c.practices,
		`SELECT count(*) FROM rooms`:                                             c.practices * countyRooms,
		`SELECT count(*) FROM staff WHERE roles = ARRAY['clinician', 'manager']`: c.practices * countyStaff,
		`SELECT count(*) FROM staff_links`:                                       c.practices * countyStaff,
		`SELECT count(*) FROM events WHERE name = 'staff.invited.v1'`:            c.practices * countyStaff,
		`SELECT count(*) FROM events`:                                            c.practices*c.eventsOfOne() + countyApplications*4,
		`SELECT count(*) FROM log`:                                               c.practices*c.eventsOfOne() + countyApplications*4,
	} {
		if got := c.count(sql); got != want {
			c.t.Errorf("%s: %d, want %d", sql, got, want)
		}
	}
	c.handed()
}

func (c *county) eventsOfOne() int {
	return 1 + 2 + 1 + countyRooms + 3*countyStaff + countyApplications
}

// handed fails unless the last link of each member of staff that was written down is the
// one that counts.
func (c *county) handed() {
	c.t.Helper()
	last := map[string]string{}
	text, err := os.ReadFile(c.links)
	c.must(err)
	for line := range strings.Lines(string(text)) {
		var given struct{ TenantID, Username, Link string }
		c.must(json.Unmarshal([]byte(line), &given))
		last[given.TenantID+" "+given.Username] = given.Link[strings.LastIndex(given.Link, "/")+1:]
	}
	pool, err := postgres.NewPool(c.t.Context(), c.postgres.URL("frontdesk", embedded.Superuser), 1)
	c.must(err)
	defer pool.Close()
	rows, err := pool.Query(c.t.Context(), `SELECT s.tenant || ' ' || s.username, encode(l.link, 'hex') FROM staff s JOIN staff_links l USING (tenant, staff)`)
	c.must(err)
	defer rows.Close()
	for rows.Next() {
		var who, link string
		c.must(rows.Scan(&who, &link))
		if digest := staff.DigestOfLink(last[who]); hex.EncodeToString(digest[:]) != link {
			c.t.Errorf("%s has a link that was never handed over", who)
		}
	}
	c.must(rows.Err())
}

// TestProveThatAThousandPracticesAreApplied prints how long it takes, and shows that the
// second run changes nothing.
func TestProveThatAThousandPracticesAreApplied_D107(t *testing.T) { //nolint:paralleltest // it measures
	c := newCounty(t, provetest.Pick(100, 1000))
	c.applied("a dry run", "--dry-run")
	if said := c.applied("applied"); !strings.HasPrefix(said, fmt.Sprintf("changed %[1]d of %[1]d documents", c.practices+countyApplications)) {
		t.Errorf("the output is %q", said)
	}
	c.complete()
	if said := c.applied("applied again"); said != "nothing to change" {
		t.Errorf("the second run prints %q", said)
	}
	c.complete()
	provetest.Tried(t, c.practices, "practices")
}

// TestProveThatAKilledApplyIsCompletedByTheNext kills the real program at random moments, and
// checks that no application can call the incomplete practices in between.
func TestProveThatTheNextApplyCompletesAKilledOne_D107(t *testing.T) { //nolint:paralleltest // it starts many processes
	for range provetest.Pick(1, 3) {
		c := newCounty(t, provetest.Pick(100, 400))
		seed, total := rand.Uint64(), c.practices*c.eventsOfOne()
		chosen, killed := rand.New(rand.NewPCG(seed, 0)), 0
		var moments []int
		for range provetest.Pick(4, 12) {
			moments = append(moments, chosen.IntN(total))
		}
		slices.Sort(moments)
		for _, events := range moments {
			if c.killAt(events, time.Duration(chosen.IntN(20))*time.Millisecond) {
				killed++
			}
			if n := c.count(`SELECT count(DISTINCT tenant) FROM enablements e WHERE (SELECT count(*) FROM intakes i WHERE i.tenant = e.tenant) < 2`); n > 0 {
				t.Errorf("seed %d: %d practices are called before their hours are set", seed, n)
			}
		}
		t.Logf("seed %d: killed %d times; events stored at each kill, of %d: %v", seed, killed, total, moments)
		provetest.Tried(t, killed, "kills")
		c.applied("completed")
		c.complete()
		if said := c.applied("applied again"); said != "nothing to change" {
			t.Errorf("the second run prints %q", said)
		}
	}
}

// killAt kills a run some time after that many events are stored, and reports whether it was
// still running.
func (c *county) killAt(events int, later time.Duration) bool {
	c.t.Helper()
	command, said := c.apply()
	exited := make(chan error, 1)
	go func() { exited <- command.Wait() }()
	waitFor(c.t, func() bool { return len(exited) > 0 || c.count(`SELECT count(*) FROM events`) >= events })
	time.Sleep(later) // any moment is as good as another
	_ = command.Process.Kill()
	err := <-exited
	if err != nil && !strings.Contains(err.Error(), "killed") {
		c.t.Fatalf("%v: %s", err, said)
	}
	return err != nil
}
