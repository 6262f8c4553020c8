//go:build prove

package main_test

import (
	"os/exec"
	"strings"
	"testing"

	"frontdesk/adapters/provetest"
	"frontdesk/docs"
)

// onDebian types lines where all changes are discarded afterwards or simulated: packages are
// looked up and not installed, and units are masked in a folder.
const onDebian = `mount -t tmpfs tmpfs /mnt
mkdir -p /mnt/bin /mnt/root/etc/systemd/system /mnt/etc /mnt/work /etc/postgresql-common
mount -t overlay overlay -o lowerdir=/etc/postgresql-common,upperdir=/mnt/etc,workdir=/mnt/work /etc/postgresql-common
printf '#!/bin/sh\nexec /usr/bin/apt-get --simulate "$@"\n' > /mnt/bin/apt-get
printf '#!/bin/sh\n[ "$1 $2" = "mask --now" ] && exec /usr/bin/systemctl --root /mnt/root mask "$3"\n' > /mnt/bin/systemctl
chmod +x /mnt/bin/*
PATH=/mnt/bin:$PATH
`

// TestProveThatPatroniIsInstalled_D113 types the lines that prepare three machines of Debian,
// as far as a machine that is needed afterwards allows.
func TestProveThatPatroniIsInstalled_D113(t *testing.T) {
	t.Parallel()
	lines := docs.OperatorsBlocks(t, "operate/patroni.md", "With Patroni", "sh")[0]
	shell := exec.CommandContext(t.Context(), "unshare", "--mount", "bash", "-euc", onDebian+lines+`
readlink /mnt/root/etc/systemd/system/etcd.service
tail -n 1 /etc/postgresql-common/createcluster.conf`)
	said, err := shell.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "/dev/null\ncreate_main_cluster = false\n") {
		t.Errorf("%v:\n%s", err, said)
	}
	provetest.Tried(t, 1, "installations")
}
