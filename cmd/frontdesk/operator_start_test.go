//go:build walk

package main_test

import (
	"os/exec"

	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/docs"
)

// theWalk is the operators' first page.
func theWalk() []stage {
	return append(theStart(),
		stage{below: "Onboard"},
		stage{below: "What there is"},
		stage{below: "A practice that leaves", before: (*operator).signs, after: (*operator).hasLeft},
		stage{below: "An application calls", before: (*operator).isCalled},
		stage{below: "Observe"},
		stage{below: "Who tries to sign in"},
		stage{below: "Profiles", by: "TestProfileIsTakenByThePage_D108"},
		stage{below: "Upgrade"},
		stage{below: "A dump"},
		stage{below: "A base backup, and all that came after it"},
		stage{below: "An epoch that nobody expected", before: (*operator).anEpochBegins},
		stage{below: "From a dump", before: (*operator).hasAFreshCluster, after: (*operator).servesFromIt},
		stage{below: "To a moment", before: (*operator).losesAPractice, after: (*operator).isBackThere},
		stage{below: "After any restore"},
		stage{below: "A projection has stopped"},
		stage{below: "An event is parked", before: (*operator).hasParked},
		stage{below: "A read model is wrong", before: (*operator).hasAWrongRow, after: (*operator).isPutRight},
		stage{below: "Proofs fall behind"},
		stage{below: "The sequence was changed", before: (*operator).hasACachedSequence, after: (*operator).isReady},
		stage{below: "Something is lost", before: (*operator).hasPassedOver, after: (*operator).hasPlaced},
		stage{below: "Gaps stay", before: (*operator).somebodyWrites, after: (*operator).nobodyWrites},
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

// starts types the beginning of the first page, which other pages require.
func (o *operator) starts() {
	for _, s := range theStart() {
		o.does("operations.md", s)
	}
}

// does types the lines below one heading of a page.
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
sha256sum frontdesk-1-linux-amd64.tar.gz > SHA256SUMS`, "-", testworld.Binary(o.t), abs(o.t, "../../docs"))
	pack.Dir = o.dir + "/home"
	if said, err := pack.CombinedOutput(); err != nil {
		o.t.Fatalf("pack: %v: %s", err, said)
	}
}

// signs runs a signer with the service.
func (o *operator) signs() { o.does("operations/keys.md", stage{below: "Signing the log"}) }
