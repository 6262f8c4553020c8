//go:build walk

package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"frontdesk/docs"
)

// A stage is the part of an operators' page below one heading.
type stage struct {
	below  string
	before func(*operator) // prepares for the blocks
	after  func(*operator) // checks their effects
	by     string          // the test that types them instead
}

// A walk is pages that one shell types, one after the other, and their headings in that order.
type walk struct {
	pages  []string
	stages func() []stage
}

var walks = []walk{
	{[]string{
		"operate/start.md", "operate/onboard-practices.md", "operate/monitor.md", "operate/upgrade.md", "operate/back-up.md",
		"operate/fail-over.md", "operate/restore.md", "operate/troubleshoot.md", "operate/troubleshoot-the-log.md",
	}, theWalk},
	{[]string{"operate/broker.md"}, brokerWalk},
	{[]string{"operate/containers.md"}, containersWalk},
	{[]string{"operate/keys.md", "operate/sign-the-log.md", "operate/run-a-witness.md"}, keysWalk},
	{[]string{"operate/patroni.md"}, patroniWalk},
	{[]string{"operate/people.md"}, peopleWalk},
	{[]string{"operate/rotate-the-master-key.md", "operate/personal-data.md", "operate/erase-a-person.md"}, personalDataWalk},
	{[]string{"operate/rotate-passwords.md"}, passwordsWalk},
	{[]string{"operate/release.md"}, releaseWalk},
	{[]string{"operate/settings.md"}, settingsWalk},
	{[]string{"operate/install-on-debian.md", "operate/systemd.md"}, debianWalk},
	{[]string{"operate/kubernetes.md"}, kubernetesWalk},
}

// TestWalkOperatorsPages_D113 types every line of the operators' pages, and checks the output
// that they show. Only folders of the machine, ports and the addresses of Postgres differ. A
// block that no walk types fails it.
func TestWalkOperatorsPages_D113(t *testing.T) {
	t.Parallel()
	pages := docs.OperatorsPages()
	walked := map[string]bool{}
	for _, w := range walks {
		var blocks []docs.Block
		for _, page := range w.pages {
			walked[page] = true
			blocks = append(blocks, docs.Blocks(pages[page])...)
		}
		t.Run(w.pages[0], func(t *testing.T) {
			t.Parallel()
			newOperator(t).walk(w.pages[0], blocks, w.stages())
		})
	}
	all := ""
	for page, text := range pages {
		all += text
		if !walked[page] && slices.ContainsFunc(docs.Blocks(text), typed) {
			t.Errorf("no walk types the lines of %s", page)
		}
	}
	for _, word := range slices.Concat(theirFolders, theirAddresses) {
		if !strings.Contains(all, word) {
			t.Errorf("no page contains %s, which the test replaces", word)
		}
	}
}

// typed reports whether a block is for an operator to type: lines, or a file that is named.
func typed(b docs.Block) bool { return b.Language == "sh" || strings.HasPrefix(b.Text, "# /") }

// walk follows a page from its first block to its last.
func (o *operator) walk(page string, blocks []docs.Block, stages []stage) {
	o.t.Helper()
	if slices.ContainsFunc(stages, func(s stage) bool { return s.by == "" }) { // this program types here
		o.hasPostgres("db")
		o.sitDown()
	}
	for _, s := range stages {
		var below []docs.Block
		for len(blocks) > 0 && (blocks[0].Below == s.below || !typed(blocks[0]) && below == nil) {
			if blocks[0].Below == s.below {
				below = append(below, blocks[0])
			}
			blocks = blocks[1:]
		}
		if below == nil {
			o.t.Fatalf("%s: the next lines are not below %q, but %q", page, s.below, blocks[0].Below)
		}
		o.takes(page, s, below)
	}
	if n := slices.IndexFunc(blocks, typed); n >= 0 {
		o.t.Errorf("%s: no walk types the lines below %q", page, blocks[n].Below)
	}
	for n := 0; n < len(o.words); n += 2 {
		if word := o.words[n]; !o.met[word] && !slices.Contains(slices.Concat(theirFolders, theirAddresses, []string{"/etc/postgresql/15/main", "/var/lib/postgresql/15/main"}), word) {
			o.t.Errorf("%s does not say %s, which the test has another for", page, word)
		}
	}
}

func (o *operator) takes(page string, s stage, blocks []docs.Block) {
	o.t.Helper()
	if s.by != "" {
		o.readBy(s.by, page, s.below)
		return
	}
	if s.before != nil {
		s.before(o)
	}
	for _, b := range blocks {
		o.follows(b)
	}
	if s.after != nil {
		s.after(o)
	}
}

// readBy checks that another test of this repository reads the blocks below a heading.
func (o *operator) readBy(test, page, below string) {
	o.t.Helper()
	there, reads := false, false
	o.must(filepath.WalkDir("../..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		there = there || strings.Contains(string(text), "\nfunc "+test+"(t *testing.T)")
		reads = reads || !strings.HasSuffix(path, "operator_walks_test.go") && strings.Contains(string(text), `"`+below+`"`) && strings.Contains(string(text), "OperatorsBlocks(t, ")
		return err
	}))
	if !there || !reads {
		o.t.Errorf("%s should type the lines below %q in %s: it exists: %t, it reads them: %t", test, below, page, there, reads)
	}
}

// The machine of these pages is that of another test.
func debianWalk() (all []stage) {
	for _, below := range []string{
		"Make the names", "Prepare the machine", "Install the program", "Create the database", "Start the service", "Get a certificate",
		"Put the proxy in front", "Become an operator", "Register the first practice", "Make the first backup",
		"Check everything", "Let Prometheus in",
		"The relay", "Two processes on one machine", "Upgrade",
	} {
		all = append(all, stage{below: below, by: "TestProveInstalled_D112"})
	}
	return all
}

func releaseWalk() []stage {
	return []stage{{below: "Verify a release", by: "TestReleaseIsVerifiedAsPageSays_D145"}}
}

func kubernetesWalk() []stage { return []stage{{below: "The image", by: "TestProveInstalled_D112"}} }
