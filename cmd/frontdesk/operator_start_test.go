package main_test

import (
	"os/exec"
)

// theWalk is the operators' first page.
func theWalk() []stage {
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
