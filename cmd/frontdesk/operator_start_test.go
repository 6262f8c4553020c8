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
		stage{below: "Onboard practices"},
		stage{below: "Keep the files in step"},
		stage{below: "List practices and applications"},
		stage{below: "Offboard a practice", before: (*operator).signs, after: (*operator).hasLeft},
		stage{below: "Check an application's calls", before: (*operator).isCalled},
		stage{below: "Monitor the service"},
		stage{below: "See failed sign-ins"},
		stage{below: "Take a profile", by: "TestProfileIsTakenByThePage_D108"},
		stage{below: "Upgrade"},
		stage{below: "Compare the read models"},
		stage{below: "Make a dump"},
		stage{below: "Archive for point-in-time recovery"},
		stage{below: "Investigate an unexpected epoch", before: (*operator).anEpochBegins},
		stage{below: "Restore a dump", before: (*operator).hasAFreshCluster, after: (*operator).servesFromIt},
		stage{below: "Restore to a point in time", before: (*operator).losesAPractice, after: (*operator).isBackThere},
		stage{below: "After every restore"},
		stage{below: "A projection has stopped"},
		stage{below: "An event is parked", before: (*operator).hasParked},
		stage{below: "A read model is wrong", before: (*operator).hasAWrongRow, after: (*operator).isPutRight},
		stage{below: "Proofs fall behind"},
		stage{below: "The sequence was changed", before: (*operator).hasACachedSequence, after: (*operator).isReady},
		stage{below: "Events are missing", before: (*operator).hasPassedOver, after: (*operator).hasPlaced},
		stage{below: "Gaps persist", before: (*operator).somebodyWrites, after: (*operator).nobodyWrites},
		stage{below: "Events were changed"},
	)
}

// theStart leads from an archive to a process that serves.
func theStart() []stage {
	return []stage{
		{below: "Install the program", before: (*operator).hasRelease},
		{below: "Make the secrets"},
		{below: "Create the database"},
		{below: "Write the settings file"},
		{below: "Check before you serve"},
		{below: "Run the service"},
		{below: "Make the first call"},
	}
}

// starts types the beginning of the first page, which other pages require.
func (o *operator) starts() {
	for _, s := range theStart() {
		o.does("operate/start.md", s)
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
func (o *operator) signs() { o.does("operate/sign-the-log.md", stage{below: "Sign the log"}) }
