package main_test

import (
	"os/exec"

	"frontdesk/docs"
)

// theWalk is the operators' first page.
func theWalk() []stage {
	return append(theStart(),
		stage{below: "Onboard"},
		stage{below: "What there is"},
		stage{below: "A practice that leaves", before: (*operator).signs},
		stage{below: "Observe"},
		stage{below: "Profiles", by: "TestAProfileIsTakenAsThePageSays_D108"},
		stage{below: "Upgrade"},
		stage{below: "Roles of an earlier release"},
		stage{below: "A dump"},
		stage{below: "A base backup, and all that came after it"},
		stage{below: "An epoch that nobody expected"},
		stage{below: "From a dump"},
		stage{below: "To a moment"},
		stage{below: "After any restore"},
		stage{below: "A projection has stopped"},
		stage{below: "An event is parked"},
		stage{below: "A read model is wrong"},
		stage{below: "Proofs fall behind"},
		stage{below: "The sequence was changed"},
		stage{below: "Something is lost"},
		stage{below: "Gaps stay"},
		stage{below: "Something was changed"},
	)
}

// theStart leads from an archive to a process that serves.
func theStart() []stage {
	return []stage{
		{below: "The program", before: (*operator).hasRelease},
		{below: "Secrets"},
		{below: "The database"},
		{below: "The file of settings"},
		{below: "Before it serves"},
		{below: "The service"},
		{below: "The first call"},
	}
}

// starts does what the first page begins with, as whoever comes to another page has.
func (o *operator) starts() {
	for _, s := range theStart() {
		o.does("operations.md", s)
	}
}

// does what stands below one heading of a page.
func (o *operator) does(page string, s stage) {
	o.t.Helper()
	var below []docs.Block
	for _, b := range docs.Blocks(docs.OperatorsPages()[page]) {
		if b.Below == s.below {
			below = append(below, b)
		}
	}
	o.takes(page, s, below)
}

// hasRelease makes an archive as a release is, with the program that is tested.
func (o *operator) hasRelease() {
	o.t.Helper()
	pack := exec.CommandContext(o.t.Context(), "bash", "-euc", `mkdir frontdesk-1-linux-amd64
cp "$1" frontdesk-1-linux-amd64/frontdesk
cp -r "$2" frontdesk-1-linux-amd64/docs
tar --create --gzip --file frontdesk-1-linux-amd64.tar.gz frontdesk-1-linux-amd64
sha256sum frontdesk-1-linux-amd64.tar.gz > SHA256SUMS`, "-", binary(o.t), abs(o.t, "../../docs"))
	pack.Dir = o.dir + "/home"
	if said, err := pack.CombinedOutput(); err != nil {
		o.t.Fatalf("pack: %v: %s", err, said)
	}
}

// signs has a signer beside the service.
func (o *operator) signs() { o.does("operations/keys.md", stage{below: "Signing the log"}) }
