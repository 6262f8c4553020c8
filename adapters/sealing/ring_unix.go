//go:build unix

package sealing

import (
	"io/fs"
	"os"
	"syscall"
)

// chown gives a file the owner of another.
func chown(name string, other fs.FileInfo) error {
	owner := other.Sys().(*syscall.Stat_t)
	return os.Chown(name, int(owner.Uid), int(owner.Gid))
}
